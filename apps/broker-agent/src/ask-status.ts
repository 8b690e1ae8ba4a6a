import { Exit, ExitCode } from '@rmqns/program';
import { formatSocketAddress, systemClock } from '@rmqns/remoting';
import type { AdminConfig } from './agent-config.js';
import { attempt } from './attempt.js';
import { httpGet } from './http-get.js';
import type { StatusDocument } from './status-document.js';
import { statusTable } from './status-table.js';

const TIMEOUT_MILLIS = 5_000;
const MAX_BYTES = 16 * 1024 * 1024;

/**
 * `status`: how the agent is that has its pages there, as a table or as it told.
 *
 * @returns the end: 0 when the agent is ready, 1 when it waits or nobody answers
 */
export async function askStatus(admin: AdminConfig | undefined, output: 'table' | 'json'): Promise<Exit> {
  if (admin === undefined)
    return new Exit(ExitCode.FAILED, 'rmq-agent: the agent has no admin pages: admin.port or --admin-port is 0');
  const address = formatSocketAddress(reachable(admin.bind), admin.port);
  let text: string;
  let document: StatusDocument;
  try {
    const url = `http://${address}/status`;
    const { signal } = new AbortController();
    const ask = (deadline: AbortSignal) => httpGet(url, {}, MAX_BYTES, deadline);
    const { status, body } = await attempt(ask, TIMEOUT_MILLIS, systemClock, signal);
    text = body.toString('utf8').trimEnd();
    if (status !== 200) throw new Error(`it answered with status ${status}: ${text.slice(0, 200)}`);
    document = JSON.parse(text) as StatusDocument;
    if (document.schema !== 1) throw new Error('what answered there is no agent of this version');
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    return new Exit(ExitCode.FAILED, `rmq-agent: no agent tells its status at ${address}: ${reason}`, { cause: error });
  }
  const exitCode = document.ready ? ExitCode.OK : ExitCode.FAILED;
  return new Exit(exitCode, output === 'json' ? text : statusTable(document), { asked: true });
}

/** What listens at every address is asked at this machine's own. */
function reachable(bind: string): string {
  if (bind === '0.0.0.0') return '127.0.0.1';
  return bind === '::' ? '::1' : bind;
}
