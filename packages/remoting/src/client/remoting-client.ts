import { EventEmitter } from 'eventemitter3';
import type { Channel } from '../channel/channel.js';
import { parseSocketAddress } from '../channel/socket-address.js';
import { SocketChannel } from '../channel/socket-channel.js';
import {
  decodeHeader,
  encodeHeader,
  type HeaderInput,
  type HeaderOutput,
  type HeaderSchema,
} from '../command/custom-header.js';
import type { CommandDefinition } from '../command/define-command.js';
import { RemotingCommand } from '../command/remoting-command.js';
import { CommandError, RemotingError } from '../errors.js';
import { channelOptions, initializeChannel } from '../rpc/channel-initializer.js';
import { type ConnectionEventMap, emitTo } from '../rpc/connection-event-map.js';
import { RemotingCore } from '../rpc/remoting-core.js';
import type { RequestProcessor } from '../rpc/request-processor.js';
import type { InvokeCallback } from '../rpc/response-future.js';
import type { RpcHook } from '../rpc/rpc-hook.js';
import { SystemCode } from '../rpc/system-code.js';
import { AddressSelector } from './address-selector.js';
import { ChannelTable } from './channel-table.js';
import {
  type RemotingClientOptions,
  type ResolvedRemotingClientOptions,
  resolveClientOptions,
} from './client-options.js';
import { dial } from './dial.js';

/** The longest that a timer of the platform can wait: 24.8 days. */
const MAX_TIMEOUT_MILLIS = 2_147_483_647;

export interface InvokeOptions {
  /** Ends the call with `ABORTED`. An aborted signal sends nothing. */
  readonly signal?: AbortSignal | undefined;
}

export interface CallOptions<Body> extends InvokeOptions {
  readonly body?: Body;
  /** For dial, sending and answer together; default the client's `timeoutMillis`. */
  readonly timeoutMillis?: number;
}

/** An answer, typed by its command's definition. */
export interface CallResult<Response extends HeaderSchema, ResponseBody> {
  readonly header: HeaderOutput<Response>;
  readonly body: ResponseBody;
  readonly command: RemotingCommand;
}

/**
 * Calls servers (upstream: `RemotingClient`, `NettyRemotingClient`). Connections are made by the first call to an address and shared by
 * all; nothing is dialled before. An address is `host:port` (IPv6 in brackets), or `undefined` for one of the list given to
 * {@link updateNameServerAddressList}.
 */
export class RemotingClient extends EventEmitter<ConnectionEventMap> implements AsyncDisposable {
  readonly #options: ResolvedRemotingClientOptions;
  readonly #core: RemotingCore;
  readonly #table: ChannelTable;
  readonly #selector = new AddressSelector();
  readonly #dialsAbort = new AbortController();
  #closing: Promise<void> | undefined;
  #pendingCalls = 0;
  #onCallsEnded: (() => void) | undefined;

  constructor(options: RemotingClientOptions = {}) {
    super();
    this.#options = resolveClientOptions(options);
    this.#core = new RemotingCore({ ...this.#options, responseSerializeType: 'request' });
    this.#table = new ChannelTable((address) => this.#createChannel(address));
  }

  registerProcessor(code: number, processor: RequestProcessor): void {
    this.#core.processorTable.register(code, processor);
  }

  registerRpcHook(hook: RpcHook): void {
    this.#core.registerRpcHook(hook);
  }

  /** The list for calls without an address; an empty one is ignored. */
  updateNameServerAddressList(addresses: readonly string[]): void {
    this.#selector.update(addresses);
  }

  get nameServerAddressList(): readonly string[] {
    return this.#selector.addresses;
  }

  /** The open connection to an address, if there is one; nothing is dialled. For whoever must know when it ends, or end it. */
  channel(address: string): Channel | undefined {
    return this.#table.active(address);
  }

  /**
   * Sends a request and waits for its answer, whatever its code. `timeoutMillis` is for dial, sending and answer together.
   *
   * @throws RemotingError `CONNECT_FAILED`, `SEND_FAILED`, `CONNECTION_CLOSED`, `TIMEOUT`, `ABORTED`, `CLOSED`, `INVALID_ARGUMENT`
   */
  invokeSync(
    address: string | undefined,
    request: RemotingCommand,
    timeoutMillis: number = this.#options.timeoutMillis,
    options: InvokeOptions = {},
  ): Promise<RemotingCommand> {
    return this.#pending(async () => {
      const { channel, leftMillis } = await this.#channel(address, timeoutMillis, options.signal);
      throwIfAborted(options.signal, address);
      return await new Promise<RemotingCommand>((resolve, reject) => {
        this.#invoke(address, channel, request, leftMillis, options.signal, undefined, (error, response) => {
          if (response !== undefined) resolve(response);
          else reject(error);
        });
      });
    });
  }

  /**
   * As {@link invokeSync}, but tells a callback, once, and takes one of the client's permits until the call has ended. Never throws:
   * also `TOO_MANY_REQUESTS` goes to the callback.
   */
  invokeAsync(
    address: string | undefined,
    request: RemotingCommand,
    timeoutMillis: number,
    callback: InvokeCallback,
    options: InvokeOptions = {},
  ): void {
    const permits = this.#core.asyncPermits;
    if (!permits.tryAcquire()) {
      const message = `${permits.total} asynchronous calls are in flight already; slow down or raise asyncPermits`;
      callback(new RemotingError('TOO_MANY_REQUESTS', message, { address }), undefined);
      return;
    }
    const ended = (error: RemotingError | undefined, response: RemotingCommand | undefined): void => {
      try {
        callback(error, response);
      } catch (thrown) {
        this.#options.logger.error({ err: thrown, address }, 'a callback of invokeAsync threw');
      } finally {
        permits.release();
      }
    };
    void this.invokeSync(address, request, timeoutMillis, options).then(
      (response) => ended(undefined, response),
      (error: unknown) => ended(RemotingError.from(error, 'SEND_FAILED', 'the call failed', { address }), undefined),
    );
  }

  /** Sends a request that nobody answers. Resolves when its bytes were handed to the operating system; says nothing of their arrival. */
  invokeOneway(
    address: string | undefined,
    request: RemotingCommand,
    timeoutMillis: number = this.#options.timeoutMillis,
    options: InvokeOptions = {},
  ): Promise<void> {
    return this.#pending(async () => {
      const { channel } = await this.#channel(address, timeoutMillis, options.signal);
      throwIfAborted(options.signal, address);
      await new Promise<void>((resolve, reject) => {
        this.#core.invokeOneway(channel, request, (error) => (error === undefined ? resolve() : reject(error)));
      });
    });
  }

  /**
   * A typed call: header and body by the command's definition, both ways.
   *
   * @throws CommandError when the answer's code is not SUCCESS; else as {@link invokeSync}
   */
  async call<Request extends HeaderSchema, Response extends HeaderSchema, RequestBody, ResponseBody>(
    address: string | undefined,
    definition: CommandDefinition<Request, Response, RequestBody, ResponseBody>,
    header: HeaderInput<Request>,
    options: CallOptions<RequestBody> = {},
  ): Promise<CallResult<Response, ResponseBody>> {
    const command = await this.invokeSync(
      address,
      encodeRequest(definition, header, options),
      options.timeoutMillis,
      options,
    );
    if (command.code !== SystemCode.SUCCESS)
      throw new CommandError(command.code, command.remark, { address, opaque: command.opaque });
    return {
      header: decodeHeader(definition.response, command.extFields),
      body: definition.responseBody.decode(command.body),
      command,
    };
  }

  /** A typed oneway request. */
  oneway<Request extends HeaderSchema, RequestBody>(
    address: string | undefined,
    definition: CommandDefinition<Request, HeaderSchema, RequestBody, unknown>,
    header: HeaderInput<Request>,
    options: CallOptions<RequestBody> = {},
  ): Promise<void> {
    return this.invokeOneway(address, encodeRequest(definition, header, options), options.timeoutMillis, options);
  }

  /** Refuses new calls, lets those under way end (each has its timeout), then closes the connections. Twice is as good as once. */
  close(): Promise<void> {
    this.#closing ??= (async () => {
      if (this.#pendingCalls > 0) await new Promise<void>((resolve) => (this.#onCallsEnded = resolve));
      this.#dialsAbort.abort();
      await Promise.allSettled(this.#table.dials());
      await Promise.all(this.#table.channels().map((channel) => channel.close()));
    })();
    return this.#closing;
  }

  /** Ends the calls under way with `CLOSED`, and the connections, at once. */
  async destroy(): Promise<void> {
    const closed = this.close();
    this.#dialsAbort.abort();
    this.#core.responseTable.failAll(
      (future) => new RemotingError('CLOSED', 'the client was destroyed', { opaque: future.opaque }),
    );
    for (const channel of this.#table.channels()) channel.destroy();
    await closed;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  /** Runs a call that {@link close} waits for. Its promise may be dropped: a failure nobody looks at is no crash. */
  #pending<T>(call: () => Promise<T>): Promise<T> {
    if (this.#closing !== undefined)
      return silenced(Promise.reject(new RemotingError('CLOSED', 'the client is closed')));
    this.#pendingCalls++;
    const result = call().finally(() => {
      this.#pendingCalls--;
      if (this.#pendingCalls === 0) this.#onCallsEnded?.();
    });
    return silenced(result);
  }

  #invoke(
    address: string | undefined,
    channel: Channel,
    request: RemotingCommand,
    timeoutMillis: number,
    signal: AbortSignal | undefined,
    onSettled: (() => void) | undefined,
    callback: InvokeCallback,
  ): void {
    const onAbort = (): void => {
      future.settle(aborted(signal, channel.remoteAddress, future.opaque), undefined);
    };
    const future = this.#core.invoke(
      channel,
      request,
      timeoutMillis,
      () => {
        signal?.removeEventListener('abort', onAbort);
        onSettled?.();
      },
      (error, response) => {
        if (error?.code === 'TIMEOUT' && this.#options.closeSocketIfTimeout) {
          if (address !== undefined) this.#table.remove(address, channel);
          else this.#selector.fail(channel.remoteAddress);
          this.#options.logger.warn(
            { address: channel.remoteAddress, opaque: error.opaque },
            `invokeSync: close socket because of timeout, ${Math.round(timeoutMillis)}ms, ${channel.remoteAddress}`,
          );
          channel.destroy(error);
        }
        callback(error, response);
      },
    );
    if (!future.isSettled) signal?.addEventListener('abort', onAbort);
  }

  /** A connection to the address, or to one of the list, and what is left of the timeout. */
  async #channel(
    address: string | undefined,
    timeoutMillis: number,
    signal: AbortSignal | undefined,
  ): Promise<{ channel: Channel; leftMillis: number }> {
    if (!(timeoutMillis > 0 && timeoutMillis <= MAX_TIMEOUT_MILLIS)) {
      throw new RemotingError(
        'INVALID_ARGUMENT',
        `a call's timeoutMillis must be above 0 and at most ${MAX_TIMEOUT_MILLIS}, not ${timeoutMillis}`,
        { address },
      );
    }
    throwIfAborted(signal, address);
    const { clock } = this.#options;
    const began = clock.monotonic();
    const channel = await this.#withDeadline(
      address === undefined ? this.#nameServerChannel() : this.#table.getOrCreate(address),
      address,
      timeoutMillis,
      signal,
    );
    return { channel, leftMillis: Math.max(1, timeoutMillis - (clock.monotonic() - began)) };
  }

  /** One of the list: the one in use, else each in turn until one connects. */
  async #nameServerChannel(): Promise<Channel> {
    const candidates = this.#selector.candidates();
    let last: unknown;
    for (const address of candidates) {
      try {
        const channel = await this.#table.getOrCreate(address);
        this.#selector.choose(address);
        return channel;
      } catch (error) {
        this.#selector.fail(address);
        last = error;
      }
    }
    const tried = candidates.length === 0 ? 'null: no name server address is set' : `[${candidates.join(', ')}]`;
    throw new RemotingError('CONNECT_FAILED', `connect to ${tried} failed`, { cause: last });
  }

  /** The dial goes on for other callers when this one's time is up. */
  #withDeadline(
    dialled: Promise<Channel>,
    address: string | undefined,
    timeoutMillis: number,
    signal: AbortSignal | undefined,
  ): Promise<Channel> {
    return new Promise((resolve, reject) => {
      const timer = this.#options.clock.setTimeout(() => {
        settle();
        reject(
          new RemotingError(
            'TIMEOUT',
            `no connection to ${address ?? 'a name server'} within the call's ${timeoutMillis} ms`,
            { address },
          ),
        );
      }, timeoutMillis);
      const onAbort = (): void => {
        settle();
        reject(aborted(signal, address, undefined));
      };
      const settle = (): void => {
        timer.cancel();
        signal?.removeEventListener('abort', onAbort);
      };
      signal?.addEventListener('abort', onAbort);
      dialled.then(
        (channel) => {
          settle();
          resolve(channel);
        },
        (error: unknown) => {
          settle();
          reject(error);
        },
      );
    });
  }

  async #createChannel(address: string): Promise<Channel> {
    const { connectTimeoutMillis, clock } = this.#options;
    const target = parseSocketAddress(address);
    const socket = await dial(target, address, connectTimeoutMillis, clock, this.#dialsAbort.signal);
    const channel = new SocketChannel(socket, channelOptions(this.#options.clock, this.#options.logger));
    try {
      initializeChannel(channel, this.#core, emitTo(this), this.#options);
    } catch (thrown) {
      const error = RemotingError.from(thrown, 'HANDLER_FAILED', 'initChannel failed', { address });
      channel.destroy(error);
      throw error;
    }
    channel.start();
    return channel;
  }
}

function encodeRequest<Request extends HeaderSchema, RequestBody>(
  definition: CommandDefinition<Request, HeaderSchema, RequestBody, unknown>,
  header: HeaderInput<Request>,
  options: CallOptions<RequestBody>,
): RemotingCommand {
  return RemotingCommand.request(definition.code, {
    extFields: encodeHeader(definition.request, header),
    body: options.body === undefined ? undefined : definition.requestBody.encode(options.body),
  });
}

/** Also asked right before sending: the signal may come in the turn in which the connection stood. */
function throwIfAborted(signal: AbortSignal | undefined, address: string | undefined): void {
  if (signal?.aborted === true) throw aborted(signal, address, undefined);
}

function aborted(
  signal: AbortSignal | undefined,
  address: string | undefined,
  opaque: number | undefined,
): RemotingError {
  return new RemotingError('ABORTED', 'the call was aborted by its signal', { address, opaque, cause: signal?.reason });
}

function silenced<T>(promise: Promise<T>): Promise<T> {
  promise.catch(() => {});
  return promise;
}
