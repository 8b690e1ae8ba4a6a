import { request as requestHttp } from 'node:http';
import { request as requestHttps } from 'node:https';

/**
 * Posts JSON once, on a connection of its own, follows no redirect, and reads nothing of the answer but its status.
 *
 * @throws an error with a sentence when it cannot be reached; the signal's reason
 */
export function httpPost(url: string, json: string, signal: AbortSignal): Promise<number> {
  return new Promise((resolve, reject) => {
    const request = new URL(url).protocol === 'https:' ? requestHttps : requestHttp;
    const headers = {
      'content-type': 'application/json',
      'content-length': Buffer.byteLength(json),
      connection: 'close',
    };
    request(url, { method: 'POST', headers, agent: false, signal }, (response) => {
      resolve(response.statusCode ?? 0);
      response.destroy();
    })
      .on('error', (error) => reject(signal.aborted ? (signal.reason as Error) : error))
      .end(json);
  });
}
