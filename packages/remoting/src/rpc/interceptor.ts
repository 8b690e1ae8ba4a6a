import type { RemotingCommand } from '../command/remoting-command.js';
import { RemotingError } from '../errors.js';
import type { ProcessorResult, RequestContext } from './request-processor.js';

/** What a request code is called. */
export interface CommandName {
  readonly code: number;
  /** That of the command's definition, or the code's number as text where none was given. */
  readonly name: string;
}

/** A request on its way through the interceptors of the side that serves it. */
export interface ServerCall extends RequestContext {
  readonly command: CommandName;
  readonly request: RemotingCommand;
  /**
   * The answer: there after `next()`, unless the processor gave none. Set without calling `next()`, it is sent and no processor runs. What
   * is here when the outermost interceptor is done is sent.
   */
  response: RemotingCommand | undefined;
}

/**
 * Runs around the hooks and the processor of each request, the first given outermost. `next()` goes on to the next interceptor, at last the processor; it
 * may be called once, and rejects with what the inner ones throw. What an interceptor throws is answered as if the processor had thrown
 * it.
 */
export type ServerInterceptor = (ctx: ServerCall, next: () => Promise<void>) => Promise<void> | void;

/** Takes a request through the interceptors to `serve`, and gives back the answer. */
export async function intercept(
  interceptors: readonly ServerInterceptor[],
  context: RequestContext,
  command: CommandName,
  request: RemotingCommand,
  serve: () => ProcessorResult | PromiseLike<ProcessorResult>,
): Promise<ProcessorResult> {
  const call = new InterceptedCall(context, command, request);
  const run = async (index: number): Promise<void> => {
    const interceptor = interceptors[index];
    if (interceptor === undefined) {
      call.response = await serve();
      return;
    }
    let called = false;
    await interceptor(call, () => {
      const twice = called;
      called = true;
      const inner = twice ? Promise.reject(calledTwice()) : run(index + 1);
      // Whoever does not wait for it has said that its end does not matter.
      inner.catch(() => {});
      return inner;
    });
  };
  await run(0);
  return call.response;
}

function calledTwice(): RemotingError {
  return new RemotingError('HANDLER_FAILED', 'an interceptor called next() twice for one request');
}

class InterceptedCall implements ServerCall {
  readonly command: CommandName;
  readonly request: RemotingCommand;
  response: ProcessorResult;
  readonly #context: RequestContext;

  constructor(context: RequestContext, command: CommandName, request: RemotingCommand) {
    this.#context = context;
    this.command = command;
    this.request = request;
  }

  get channel(): RequestContext['channel'] {
    return this.#context.channel;
  }

  get signal(): AbortSignal {
    return this.#context.signal;
  }

  remainingMillis(): number {
    return this.#context.remainingMillis();
  }
}
