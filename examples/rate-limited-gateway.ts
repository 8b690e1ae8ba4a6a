// A gateway: it lets each client make so many requests a minute, bounds what is under way, and passes the rest on to a backend, which
// has no longer than the client still waits, and stops when the client does.
import {
  CommandError,
  defineCommand,
  parseSocketAddress,
  RemotingClient,
  RemotingServer,
  t,
  WorkQueue,
} from '@rmqns/remoting';

const SYSTEM_ERROR = 1;
const SYSTEM_BUSY = 2;
const BACKEND_TIMEOUT_MILLIS = 3_000;

const Price = defineCommand({
  code: 9501,
  name: 'PRICE',
  request: { of: t.string() },
  response: { cents: t.int() },
});

// The backend. It knows nothing of the gateway, only that some questions are hard.
let gaveUp: (reason: string) => void = () => {};
const backend = new RemotingServer({ host: '127.0.0.1', port: 0, requestDeadlines: true });
backend.handle(Price, async ({ header, signal, remainingMillis }) => {
  if (header.of !== 'everything') return { header: { cents: header.of.length * 100 } };
  const isBounded = remainingMillis() <= 500;
  if (!signal.aborted) await new Promise((resolve) => signal.addEventListener('abort', resolve));
  gaveUp(`the backend had ${isBounded ? 'no more than' : 'more than'} 500 ms, and stopped`);
  throw signal.reason;
});
await backend.start();

/** Tokens that come back at a steady rate, six a minute; each request takes one. */
class TokenBucket {
  static readonly CAPACITY = 5;
  static readonly TOKENS_PER_SECOND = 0.1;
  #tokens = TokenBucket.CAPACITY;
  #filledAt = performance.now();

  take(): boolean {
    this.#fill();
    if (this.#tokens < 1) return false;
    this.#tokens--;
    return true;
  }

  get isFull(): boolean {
    this.#fill();
    return this.#tokens === TokenBucket.CAPACITY;
  }

  #fill(): void {
    const now = performance.now();
    const earned = ((now - this.#filledAt) / 1000) * TokenBucket.TOKENS_PER_SECOND;
    this.#tokens = Math.min(TokenBucket.CAPACITY, this.#tokens + earned);
    this.#filledAt = now;
  }
}

// By host: a client that opens many connections gains nothing. A bucket that is full says no more than none.
const buckets = new Map<string, TokenBucket>();
setInterval(() => {
  for (const [host, bucket] of buckets) if (bucket.isFull) buckets.delete(host);
}, 10_000).unref();

const gateway = new RemotingServer({ host: '127.0.0.1', port: 0, requestDeadlines: true });
gateway.use(async (ctx, next) => {
  const { host } = parseSocketAddress(ctx.channel.remoteAddress);
  const bucket = buckets.get(host) ?? new TokenBucket();
  buckets.set(host, bucket);
  if (!bucket.take()) throw new CommandError(SYSTEM_BUSY, 'too many requests; come back later');
  await next();
});

// The connection to the backend is everybody's: one client's timeout must not close it.
const toBackend = new RemotingClient({ sendDeadline: true, closeSocketIfTimeout: false });
gateway.registerDefaultProcessor(
  {
    async processRequest(ctx, request) {
      try {
        return await toBackend.invokeSync(backend.address, request, BACKEND_TIMEOUT_MILLIS, { within: ctx });
      } catch {
        // If somebody still waits for the answer, the details of the backend are not for them.
        ctx.signal.throwIfAborted();
        throw new CommandError(SYSTEM_ERROR, 'the backend did not answer');
      }
    },
  },
  new WorkQueue({ concurrency: 64, queueCapacity: 1_000, maxQueueMillis: 1_000 }),
);
await gateway.start();

const client = new RemotingClient({ sendDeadline: true, closeSocketIfTimeout: false });
const priceOf = (of: string, timeoutMillis?: number) =>
  client.call(gateway.address, Price, { of }, { timeoutMillis }).then(
    ({ header }) => `${of} costs ${header.cents} cents`,
    (error: unknown) => {
      const isRefused = error instanceof CommandError && error.responseCode === SYSTEM_BUSY;
      return isRefused ? `${of}: ${error.remark}` : `${of}: no price in time`;
    },
  );

console.log(await priceOf('tea'));

const backendGaveUp = new Promise<string>((resolve) => {
  gaveUp = resolve;
});
console.log(await priceOf('everything', 500));
console.log(await backendGaveUp);

// Of five tokens, three are left.
for (const line of await Promise.all(['milk', 'bread', 'salt', 'soap', 'wine'].map((of) => priceOf(of))))
  console.log(line);

await client.close();
await gateway.close();
await toBackend.close();
await backend.close();
