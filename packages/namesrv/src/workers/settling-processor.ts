import type { ProcessorResult, RemotingCommand, RequestContext, RequestProcessor } from '@rmqns/remoting';
import type { HandedOutRoutes } from './handed-out-routes.js';

/** Holds the answer to a request back until nobody shows a route from before what the request changed. */
export class SettlingProcessor implements RequestProcessor {
  readonly #processor: RequestProcessor;
  readonly #routes: HandedOutRoutes;
  readonly #carriedOut: () => Promise<unknown> | undefined;

  /** @param carriedOut resolves when all is done that was answered before it is; `undefined` when it is. */
  constructor(processor: RequestProcessor, routes: HandedOutRoutes, carriedOut: () => Promise<unknown> | undefined) {
    this.#processor = processor;
    this.#routes = routes;
    this.#carriedOut = carriedOut;
  }

  processRequest(ctx: RequestContext, request: RemotingCommand): ProcessorResult | Promise<ProcessorResult> {
    const result = this.#processor.processRequest(ctx, request);
    if (result instanceof Promise) return result.then((response) => this.#settle(response));
    return this.#settle(result);
  }

  #settle(response: ProcessorResult): ProcessorResult | Promise<ProcessorResult> {
    const settle = (): ProcessorResult | Promise<ProcessorResult> =>
      this.#routes.settled()?.then(() => response) ?? response;
    return this.#carriedOut()?.then(settle) ?? settle();
  }
}
