import { get as getHttp } from 'node:http';
import { get as getHttps } from 'node:https';

export interface HttpAnswer {
  readonly status: number;
  readonly etag: string | undefined;
  /** How the body is encoded, which nobody asked for; `undefined`: not at all. */
  readonly encoding: string | undefined;
  readonly body: Buffer;
}

/**
 * Asks a server once, on a connection of its own, and follows no redirect.
 *
 * @throws an error with a sentence when it cannot be reached or the body is larger than `maxBytes`; the signal's reason
 */
export function httpGet(
  url: string,
  headers: Readonly<Record<string, string>>,
  maxBytes: number,
  signal: AbortSignal,
): Promise<HttpAnswer> {
  return new Promise((resolve, reject) => {
    const get = new URL(url).protocol === 'https:' ? getHttps : getHttp;
    const fail = (error: NodeJS.ErrnoException): void => reject(signal.aborted ? signal.reason : described(error));
    const request = get(
      url,
      { headers: { 'accept-encoding': 'identity', ...headers, connection: 'close' }, agent: false, signal },
      (response) => {
        const chunks: Buffer[] = [];
        let size = 0;
        response
          .on('data', (chunk: Buffer) => {
            size += chunk.length;
            chunks.push(chunk);
            if (size > maxBytes) response.destroy(new Error(`the answer is larger than ${maxBytes} bytes`));
          })
          .on('error', fail)
          .on('end', () => {
            const { statusCode = 0, headers: answered } = response;
            const encoding = answered['content-encoding'];
            resolve({ status: statusCode, etag: answered.etag, encoding, body: Buffer.concat(chunks) });
          });
      },
    );
    request.on('error', fail);
  });
}

/** Errors of several addresses have no message of their own. */
function described(error: NodeJS.ErrnoException): Error {
  if (error instanceof AggregateError) {
    const messages = error.errors.map((each: unknown) => (each instanceof Error ? each.message : String(each)));
    return new Error(messages.join('; '), { cause: error });
  }
  if (error.code === 'ECONNRESET') return new Error('the connection ended before the answer', { cause: error });
  return error;
}

/** @throws Error with a sentence where the answer is no 200 with a plain body */
export function plainBody({ status, encoding = 'identity', body }: HttpAnswer): Buffer {
  if (status !== 200) throw new Error(`it answered ${status}, not 200`);
  if (encoding !== 'identity') throw new Error(`it answered in ${encoding}, which nobody asked for`);
  return body;
}
