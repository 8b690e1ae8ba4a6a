/** A peer's client under a fault. Arguments: the peer's name. */
import { answerQuestions, describeError } from '../harness/ask.mjs';
import { Latencies } from '../harness/latencies.mjs';
import { makePayloads } from '../rpc/payloads.mjs';
import { loadPeer } from '../rpc/peers.mjs';

const peer = await loadPeer(process.argv[2]);
const connections = new Map();
const calls = new Map();
const uncaught = [];
// An application without this would have ended here.
process.on('uncaughtException', (error) => uncaught.push(describeError(error)));
process.on('unhandledRejection', (error) => uncaught.push(describeError(error)));

let watch;

answerQuestions({
  async connect({ key, ...options }) {
    const connection = await peer.connect(options);
    connections.set(key, connection);
    // Some dial only now.
    await call(connection, 'echo', payloadOf(64));
  },
  /** As an application would that keeps trying; `connect` and the call count as one. */
  async connectAndCall({ key, limitMillis, ...options }) {
    const began = Date.now();
    const attempt = async () => {
      const connection = await peer.connect(options);
      connections.set(key, connection);
      await call(connection, 'echo', payloadOf(64));
    };
    const error = await within(limitMillis, attempt());
    return { millis: Date.now() - began, error };
  },
  /** Begins calls and leaves them. */
  start({ key, method, bytes, count }) {
    const payload = payloadOf(bytes);
    const group = { ended: [], pending: count };
    calls.set(key, group);
    for (let i = 0; i < count; i++) {
      call(connections.get(key), method, payload).then(
        () => endOne(group, undefined),
        (error) => endOne(group, describeError(error)),
      );
    }
  },
  /** Waits for the calls that {@link start} began, so long. */
  async ended({ key, limitMillis }) {
    const group = calls.get(key);
    await Promise.race([
      new Promise((resolve) => {
        group.onEnd = resolve;
        if (group.pending === 0) resolve();
      }),
      new Promise((resolve) => setTimeout(resolve, limitMillis)),
    ]);
    return { pending: group.pending, ended: group.ended };
  },
  /** Calls that nobody waits for, as fast as the package takes them. */
  async flood({ key, bytes, totalBytes, seconds }) {
    const payload = payloadOf(bytes);
    const end = Date.now() + seconds * 1000;
    const ofBefore = process.memoryUsage.rss();
    let sent = 0;
    while (sent < totalBytes && Date.now() < end && process.memoryUsage.rss() - ofBefore < 3 * totalBytes) {
      for (let i = 0; i < 8; i++, sent += bytes) call(connections.get(key), 'echo', payload).catch(() => {});
      await new Promise((resolve) => setTimeout(resolve, 1));
    }
    return { sent };
  },
  /** Keeps so many calls under way. */
  async keepAsking({ key, bytes, inFlight, seconds }) {
    const payload = payloadOf(bytes);
    const end = performance.now() + seconds * 1000;
    let answered = 0;
    const worker = async () => {
      for (; performance.now() < end; answered++) await call(connections.get(key), 'echo', payload);
    };
    await Promise.all(Array.from({ length: inFlight }, worker));
    return { answered };
  },
  /** Closes its connection, and leaves it to the process when it ends. */
  async leave({ key }) {
    const { close, closeGently = close } = connections.get(key);
    await closeGently();
    process.removeAllListeners('disconnect');
    // Once the answer is sent; it is the last thing that holds the process.
    setImmediate(() => process.disconnect());
    return { at: Date.now() };
  },
  /** Calls at a rate, whether answers come or not. */
  async openLoop({ key, method, bytes, perSecond, seconds, deadlineMillis }) {
    const payload = payloadOf(bytes);
    const result = { sent: 0, inTime: 0, late: 0, refused: 0, firstError: undefined };
    const refusals = new Latencies();
    const began = performance.now();
    await new Promise((resolve) => {
      const timer = setInterval(() => {
        const now = performance.now();
        if (now - began >= seconds * 1000) {
          clearInterval(timer);
          resolve();
          return;
        }
        for (const due = ((now - began) * perSecond) / 1000; result.sent < due; result.sent++) {
          const sentAt = performance.now();
          call(connections.get(key), method, payload).then(
            () => {
              if (performance.now() - sentAt <= deadlineMillis) result.inTime++;
              else result.late++;
            },
            (error) => {
              result.refused++;
              result.firstError ??= describeError(error);
              refusals.record(performance.now() - sentAt);
            },
          );
        }
      }, 2);
    });
    await new Promise((resolve) => setTimeout(resolve, deadlineMillis));
    return { ...result, refusalP99Millis: refusals.count === 0 ? undefined : refusals.percentile(0.99) / 1000 };
  },
  /** Whether the same client, or a new one where none came to be, can call again, and after how long. */
  async retry({ key, limitMillis, ...options }) {
    const began = Date.now();
    while (Date.now() - began < limitMillis) {
      const error = await within(1000, callAgain(key, options));
      if (error === undefined) return { millis: Date.now() - began };
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
    return {};
  },
  watchBegin({ key, everyMillis }) {
    watch = { latencies: new Latencies(), waiting: new Set(), failed: 0 };
    const seen = watch;
    const payload = payloadOf(64);
    seen.timer = setInterval(() => {
      const sentAt = performance.now();
      seen.waiting.add(sentAt);
      call(connections.get(key), 'echo', payload)
        .then(
          () => seen.latencies.record(performance.now() - sentAt),
          () => {
            seen.failed++;
          },
        )
        .finally(() => seen.waiting.delete(sentAt));
    }, everyMillis);
  },
  watchEnd() {
    clearInterval(watch.timer);
    const now = performance.now();
    // A call that waits still has a latency too: it is at least so long.
    for (const sentAt of watch.waiting) watch.latencies.record(now - sentAt);
    return {
      p99Millis: (watch.latencies.percentile(0.99) ?? 0) / 1000,
      failed: watch.failed,
      waiting: watch.waiting.size,
    };
  },
  uncaught: () => uncaught.splice(0),
});

async function callAgain(key, options) {
  if (!connections.has(key)) connections.set(key, await peer.connect(options));
  await call(connections.get(key), 'echo', payloadOf(64));
}

function endOne(group, error) {
  group.pending--;
  group.ended.push({ at: Date.now(), error });
  if (group.pending === 0) group.onEnd?.();
}

function payloadOf(bytes) {
  return makePayloads({ bytes }, peer.traits)[0];
}

function call(connection, method, payload) {
  return new Promise((resolve, reject) => {
    connection.call(method, payload.value, (error, answer) => {
      if (error !== undefined) reject(error);
      else if (payload.isAnswer(answer)) resolve();
      else reject(new Error('a wrong answer'));
    });
  });
}

/** The error a promise ended with, or that it did not end. */
async function within(limitMillis, promise) {
  let timer;
  const limit = new Promise((resolve) => {
    timer = setTimeout(resolve, limitMillis, `nothing within ${limitMillis} ms`);
  });
  const ended = promise.then(() => undefined, describeError);
  const first = await Promise.race([ended, limit]);
  clearTimeout(timer);
  return first;
}
