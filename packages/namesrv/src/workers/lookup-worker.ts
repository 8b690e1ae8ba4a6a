import { MqVersion, RequestCode, ResponseCode } from '@rmqns/protocol';
import {
  type Channel,
  type ChannelSocket,
  type Clock,
  type Logger,
  RemotingClient,
  RemotingCommand,
  RemotingServer,
  type RequestContext,
} from '@rmqns/remoting';
import { type RouteLookup, RouteLookups } from '../processor/route-lookups.js';
import { DescribeWorker, ForgetRoutes, MAY_KEEP } from './lane-commands.js';
import { type GatedConnection, LookupGate } from './lookup-gate.js';
import { type AskedDialect, type RouteAnswer, RouteCopies } from './route-copies.js';
import type { FromWorker, WorkerSettings } from './worker-messages.js';

/** What the lane's client calls the other end. */
const OWNER = 'owner:1';
/** As long as clients wait. */
const ASK_TIMEOUT_MILLIS = 3_000;
/** An invalidation may name very many topics. */
export const LANE_FRAME_BYTES = 256 * 1024 * 1024;

export interface LookupWorkerOptions {
  readonly settings: WorkerSettings;
  /** The connection with the owner; the worker ends with it. */
  readonly lane: ChannelSocket;
  readonly toOwner: (message: Exclude<FromWorker, { readonly type: 'log' }>) => void;
  readonly onLaneClosed: () => void;
  readonly clock: Clock;
  readonly logger: Logger;
}

/**
 * Serves the route lookups of the connections that it is given, from copies of the owner's answers, and gives each back as soon as it asks for
 * anything else.
 */
export class LookupWorker {
  readonly #server: RemotingServer;
  readonly #owner: RemotingClient;
  readonly #lane: ChannelSocket;
  readonly #toOwner: LookupWorkerOptions['toOwner'];
  readonly #copies = new RouteCopies();
  readonly #routeLookups = new RouteLookups();
  readonly #logger: Logger;
  readonly #gates = new WeakMap<Channel, LookupGate>();
  #lookups = 0;
  #misses = 0;
  /** The connection that is being accepted. */
  #accepting: LentConnection | undefined;

  constructor({ settings, lane, toOwner, onLaneClosed, clock, logger }: LookupWorkerOptions) {
    const { isDebug, ...options } = settings;
    this.#toOwner = toOwner;
    this.#logger = logger;
    this.#lane = lane;
    this.#server = new RemotingServer({ ...options, clock, logger, initChannel: (channel) => this.#addGate(channel) });
    this.#server.registerProcessor(RequestCode.GET_ROUTEINFO_BY_TOPIC, {
      processRequest: (ctx, request) => this.#lookUp(ctx, request),
    });
    this.#owner = new RemotingClient({
      createConnection: () => lane,
      allIdleMillis: 0,
      maxFrameBytes: Math.max(LANE_FRAME_BYTES, settings.maxFrameBytes),
      closeSocketIfTimeout: false,
      keepProcessAlive: true,
      clock,
      // That the lane opens and closes is no news.
      logger: { ...logger, info: logger.debug },
    });
    this.#owner.on('close', onLaneClosed);
    this.#owner.handle(ForgetRoutes, ({ body }) => {
      if (body === 'all') this.#copies.forgetAll();
      else this.#copies.forget(body);
      return {};
    });
    this.#owner.handle(DescribeWorker, () => ({
      body: { lookups: this.#lookups, misses: this.#misses, copies: this.#copies.size },
    }));
  }

  /** Opens the lane; resolves when the worker can serve. */
  async start(): Promise<void> {
    await this.#owner.connect(OWNER);
    this.#toOwner({ type: 'ready' });
  }

  /** Serves a connection, of which nothing has been read. */
  accept(id: number, socket: ChannelSocket): void {
    this.#accepting = new LentConnection(id, socket, this.#toOwner);
    this.#server.accept(socket);
    this.#accepting = undefined;
  }

  /** Ends as a server does, then closes the lane. */
  async close(times: { readonly graceMillis: number; readonly goAwayMillis: number }): Promise<void> {
    await this.#server.close(times);
    await this.#owner.destroy();
  }

  /** Ends at once. */
  async destroy(): Promise<void> {
    const ended = Promise.all([this.#server.destroy(), this.#owner.destroy()]);
    // Nobody is there to say farewell to.
    this.#lane.destroy();
    await ended;
  }

  #addGate(channel: Channel): void {
    if (this.#accepting === undefined) return;
    const gate = new LookupGate(this.#accepting);
    this.#gates.set(channel, gate);
    channel.pipeline.addBefore('frameDecoder', 'lookupGate', gate);
  }

  #lookUp({ channel }: RequestContext, request: RemotingCommand): RemotingCommand | Promise<RemotingCommand> {
    this.#lookups++;
    const kept = this.#keyOf(request);
    const body = kept && this.#copies.get(kept.topic, kept.dialect);
    if (body !== undefined) {
      const found = RemotingCommand.response(ResponseCode.SUCCESS);
      found.body = body;
      return found;
    }
    const ask = (): Promise<RouteAnswer> => this.#ask(request);
    const asked = kept === undefined ? ask() : this.#copies.ask(kept.topic, kept.dialect, ask);
    const gate = this.#gates.get(channel);
    gate?.asks();
    return this.#answerOf(asked).finally(() => gate?.answered());
  }

  /** Under what the answer to a lookup is kept; `undefined` where it depends on more. */
  #keyOf(request: RemotingCommand): { readonly topic: string; readonly dialect: AskedDialect } | undefined {
    let lookup: RouteLookup;
    try {
      lookup = this.#routeLookups.of(request);
    } catch {
      // The owner says what is wrong with it.
      return undefined;
    }
    const { topic, acceptStandardJsonOnly, __ZONE_MODE: isZoned } = lookup;
    if (topic === undefined || isZoned === true) return undefined;
    const isStandard = request.version >= MqVersion.V4_9_4 || acceptStandardJsonOnly === true;
    return { topic, dialect: isStandard ? 'standard' : 'legacy' };
  }

  async #answerOf(asked: Promise<RouteAnswer>): Promise<RemotingCommand> {
    try {
      const { code, remark, body } = await asked;
      return RemotingCommand.response(code, remark, { body });
    } catch (error) {
      this.#logger.warn({ err: error }, 'a route lookup was not answered by the process that owns the routes');
      return RemotingCommand.response(
        ResponseCode.SYSTEM_BUSY,
        'the process that owns the routes did not answer in time; try again',
      );
    }
  }

  async #ask({ version, extFields }: RemotingCommand): Promise<RouteAnswer> {
    this.#misses++;
    const answer = await this.#owner.invokeSync(
      OWNER,
      RemotingCommand.request(RequestCode.GET_ROUTEINFO_BY_TOPIC, { version, extFields }),
      ASK_TIMEOUT_MILLIS,
    );
    const { code, remark } = answer;
    // A copy: the lane's bytes lie together with those of other answers.
    const body = answer.body === undefined ? undefined : Buffer.from(answer.body);
    return { code, remark, body, mayKeep: answer.extFields?.[MAY_KEEP] === 'true' };
  }
}

/** A connection that is the owner's and served here. */
class LentConnection implements GatedConnection {
  readonly #id: number;
  readonly #socket: ChannelSocket;
  readonly #toOwner: LookupWorkerOptions['toOwner'];
  #isTaken = false;

  constructor(id: number, socket: ChannelSocket, toOwner: LookupWorkerOptions['toOwner']) {
    this.#id = id;
    this.#socket = socket;
    this.#toOwner = toOwner;
    socket.once('close', () => {
      if (!this.#isTaken) toOwner({ type: 'closed', id });
    });
  }

  drain(): void {
    // It tells the channel, and so the gate, as it gives them.
    while (this.#socket.read() !== null);
  }

  handOver(bytes: Buffer, { remoteAddress, attributes }: Channel): void {
    this.#isTaken = true;
    this.#toOwner({ type: 'taken', id: this.#id, bytes, remoteAddress, attributes: [...attributes] });
  }
}
