import type { Channel } from '../channel/channel.js';
import { type ConnectTrace, connectTracing } from '../diagnostics.js';
import { RemotingError } from '../errors.js';

/**
 * Lets the subscribers of `rmqns.remoting:connect` see a dial. What they bind to `start` is not entered: the connection serves callers of
 * all contexts, and would keep that of its dial for life.
 */
export function traceDial(address: string, dial: () => Promise<Channel>): Promise<Channel> {
  if (!connectTracing.hasSubscribers) return dial();
  const trace: ConnectTrace = { address, localAddress: undefined, outcome: undefined, error: undefined };
  connectTracing.start.publish(trace);
  const dialled = traced(trace, dial);
  connectTracing.end.publish(trace);
  return dialled;
}

async function traced(trace: ConnectTrace, dial: () => Promise<Channel>): Promise<Channel> {
  try {
    const channel = await dial();
    trace.localAddress = channel.localAddress;
    trace.outcome = 'connected';
    return channel;
  } catch (thrown) {
    const { address } = trace;
    const error = RemotingError.from(thrown, 'CONNECT_FAILED', 'the connection could not be made', { address });
    trace.error = error;
    trace.outcome = error.code;
    connectTracing.error.publish(trace);
    throw error;
  } finally {
    connectTracing.asyncStart.publish(trace);
    connectTracing.asyncEnd.publish(trace);
  }
}
