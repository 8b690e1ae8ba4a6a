import { GetRouteInfoByTopic, RequestCode, ResponseCode } from '@rmqns/protocol';
import {
  type Channel,
  type ChannelSocket,
  type Clock,
  createExtFields,
  decodeHeader,
  type Logger,
  RemotingCommand,
  RemotingServer,
  type RequestContext,
  type WorkQueue,
} from '@rmqns/remoting';
import type { CopyHolder, HandedOutRoutes } from './handed-out-routes.js';
import { DescribeWorker, ForgetRoutes, MAY_KEEP, type WorkerCounters } from './lane-commands.js';
import { LANE_FRAME_BYTES } from './lookup-worker.js';

/** How long a worker may take to forget what has changed: less than callers wait. One that takes longer answers nobody either. */
const FORGET_TIMEOUT_MILLIS = 2_000;
const DESCRIBE_TIMEOUT_MILLIS = 1_000;

export interface OwnerLaneOptions {
  readonly socket: ChannelSocket;
  readonly routes: HandedOutRoutes;
  /** Answers a route lookup, as that of any client. */
  readonly lookUp: (ctx: RequestContext, request: RemotingCommand) => RemotingCommand | Promise<RemotingCommand>;
  readonly queue: WorkQueue;
  readonly maxFrameBytes: number;
  /** The worker does not obey any more, or the lane broke: it is to be ended. */
  readonly onBroken: () => void;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** The owner's end of the connection with one worker: answers what the worker asks, and tells it what to forget. */
export class OwnerLane {
  readonly #server: RemotingServer;
  readonly #routes: HandedOutRoutes;
  readonly #holder: CopyHolder;
  readonly #onBroken: () => void;
  readonly #ended: Promise<void>;
  #end: () => void = () => {};

  constructor({ socket, routes, lookUp, queue, maxFrameBytes, onBroken, clock, logger }: OwnerLaneOptions) {
    this.#routes = routes;
    this.#onBroken = onBroken;
    this.#ended = new Promise((resolve) => {
      this.#end = resolve;
    });
    this.#server = new RemotingServer({
      allIdleMillis: 0,
      maxFrameBytes: Math.max(LANE_FRAME_BYTES, maxFrameBytes),
      clock,
      logger,
    });
    this.#holder = routes.add((topics) => this.#forget(topics));
    const processor = {
      processRequest: (ctx: RequestContext, request: RemotingCommand) => this.#handOut(request, lookUp(ctx, request)),
    };
    this.#server.registerProcessor(RequestCode.GET_ROUTEINFO_BY_TOPIC, processor, queue);
    this.#server.on('close', onBroken);
    this.#server.accept(socket);
  }

  async describe(): Promise<WorkerCounters | undefined> {
    const channel = this.#channel;
    if (channel === undefined) return undefined;
    const options = { timeoutMillis: DESCRIBE_TIMEOUT_MILLIS };
    return await this.#server.call(channel, DescribeWorker, {}, options).then(
      ({ body }) => body,
      () => undefined,
    );
  }

  /** The worker has ended, and with it all that it had. */
  end(): void {
    this.#routes.remove(this.#holder);
    this.#end();
    void this.#server.destroy();
  }

  get #channel(): Channel | undefined {
    const [channel] = this.#server.channels;
    return channel;
  }

  #handOut(
    request: RemotingCommand,
    answer: RemotingCommand | Promise<RemotingCommand>,
  ): RemotingCommand | Promise<RemotingCommand> {
    // What is made later may be older than a change when it leaves.
    if (!(answer instanceof RemotingCommand) || answer.code !== ResponseCode.SUCCESS) return answer;
    const { topic } = decodeHeader(GetRouteInfoByTopic.request, request.extFields);
    if (topic === undefined) return answer;
    this.#routes.handOut(this.#holder, topic);
    const { body } = answer;
    return RemotingCommand.response(ResponseCode.SUCCESS, undefined, {
      body,
      extFields: createExtFields({ [MAY_KEEP]: 'true' }),
    });
  }

  async #forget(topics: readonly string[] | 'all'): Promise<void> {
    const channel = this.#channel;
    if (channel !== undefined) {
      const told = this.#server.call(channel, ForgetRoutes, {}, { body: topics, timeoutMillis: FORGET_TIMEOUT_MILLIS });
      if (
        await told.then(
          () => true,
          () => false,
        )
      )
        return;
    }
    // Until it has ended it might still show what it should have forgotten.
    this.#onBroken();
    await this.#ended;
  }
}
