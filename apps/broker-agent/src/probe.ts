import { connect } from 'node:net';
import { parseSocketAddress } from '@rmqns/remoting';
import { httpGet } from './http-get.js';
import { runCommand } from './run-command.js';

/** What one look said. */
export interface ProbeResult {
  readonly passed: boolean;
  /** For log and status. */
  readonly output: string;
}

/** Looks once whether the node is well. What it throws is a failure, too. */
export type Probe = (signal: AbortSignal) => Promise<ProbeResult>;

/** How much of a page is looked at. */
const MAX_BYTES = 1 << 20;
/** How much is told of what a command says; it may say more. */
const MAX_SAID_BYTES = 1_024;

/** Passes when `host:port` takes a connection. */
export function tcpProbe(address: string): Probe {
  const { host, port } = parseSocketAddress(address);
  return (signal) =>
    new Promise((resolve, reject) => {
      const socket = connect({ host, port });
      const end = (): void => {
        signal.removeEventListener('abort', end);
        socket.destroy();
      };
      signal.addEventListener('abort', end, { once: true });
      socket.on('connect', () => {
        end();
        resolve({ passed: true, output: 'connected' });
      });
      socket.on('error', (error) => {
        end();
        reject(error);
      });
    });
}

/** Passes when the page answers one of these statuses, and holds that text where one is given. */
export function httpProbe(url: string, expect: readonly number[], text: string | undefined): Probe {
  return async (signal) => {
    const { status, body } = await httpGet(url, {}, MAX_BYTES, signal);
    if (!expect.includes(status)) return { passed: false, output: `answered ${status}, not ${expect.join(' or ')}` };
    if (text !== undefined && !body.includes(text))
      return { passed: false, output: `answered ${status} without ${JSON.stringify(text)}` };
    return { passed: true, output: `answered ${status}` };
  };
}

/** Passes when the command ends with 0, or with 1, which is a warning; as checks of Consul do. */
export function execProbe(command: readonly string[]): Probe {
  return async (signal) => {
    const { exitCode, stdout, stderr } = await runCommand(command, MAX_SAID_BYTES, signal, { dropsRest: true });
    const said = stderr || stdout.toString('utf8').trim();
    const ended = exitCode === undefined ? 'ended by a signal' : `exit code ${exitCode}`;
    const output = said === '' ? ended : `${ended}: ${said}`;
    if (exitCode === 1) return { passed: true, output: `warning, ${output}` };
    return { passed: exitCode === 0, output };
  };
}
