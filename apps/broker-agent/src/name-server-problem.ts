import { RemotingError } from '@rmqns/remoting';

/** What came over the connection was nothing of the protocol. */
const IS_FOREIGN: ReadonlySet<string> = new Set(['FRAME_TOO_LARGE', 'DECODE_FAILED']);

/** Why something failed with a name server, for people: a lost connection says little without why it was lost. */
export function nameServerProblem(error: unknown): string | undefined {
  if (error === undefined) return undefined;
  if (!RemotingError.is(error)) return error instanceof Error ? error.message : String(error);
  const { code, message, cause } = error;
  if (code !== 'CONNECTION_CLOSED' || !(cause instanceof Error)) return message;
  if (RemotingError.is(cause) && IS_FOREIGN.has(cause.code))
    return `${message}: what answers there speaks another protocol; is it a name server?`;
  return `${message}: ${cause.message}`;
}
