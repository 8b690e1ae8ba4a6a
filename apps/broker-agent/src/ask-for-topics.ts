import { RequestCode, ResponseCode } from '@rmqns/protocol';
import { CommandError, type RemotingClient, RemotingCommand } from '@rmqns/remoting';
import { httpGet, plainBody } from './http-get.js';
import type { AskForTopics } from './polled-topic-source.js';
import { runCommand } from './run-command.js';
import { decodeTopicsJson } from './topics-json.js';

/** 100,000 topics take about 20 MB. */
const MAX_BYTES = 64 << 20;

/** Asks a running broker (21), which also knows its topics where no `topics.json` holds them. */
export function brokerTopicsOf(client: RemotingClient, address: string, timeoutMillis: number): AskForTopics {
  return async () => {
    const request = RemotingCommand.request(RequestCode.GET_ALL_TOPIC_CONFIG);
    const response = await client.invokeSync(address, request, timeoutMillis);
    const { code, remark, opaque, body } = response;
    if (code !== ResponseCode.SUCCESS) throw new CommandError(code, remark, { address, opaque, response });
    return decodeTopicsJson(body ?? new Uint8Array());
  };
}

/** Asks a URL. With `useEtag` a server that knows what it answered last need not say it again. */
export function httpTopics(url: string, useEtag: boolean): AskForTopics {
  let etag: string | undefined;
  return async (signal) => {
    const answer = await httpGet(url, etag === undefined ? {} : { 'if-none-match': etag }, MAX_BYTES, signal);
    if (answer.status === 304 && etag !== undefined) return undefined;
    const topics = await decodeTopics(plainBody(answer));
    etag = useEtag ? answer.etag : undefined;
    return topics;
  };
}

/** Runs a command that prints them. */
export function execTopics(command: readonly string[]): AskForTopics {
  return async (signal) => {
    const { exitCode, stdout, stderr } = await runCommand(command, MAX_BYTES, signal);
    if (exitCode === 0) return await decodeTopics(stdout);
    const ended = exitCode === undefined ? 'a signal ended it' : `it ended with exit code ${exitCode}`;
    throw new Error(stderr === '' ? ended : `${ended}: ${stderr}`);
  };
}

async function decodeTopics(bytes: Uint8Array) {
  // Loaded when needed, with the schema: beside a real broker it is not.
  const { decodeTopicList } = await import('./topic-list.js');
  return decodeTopicList(bytes);
}
