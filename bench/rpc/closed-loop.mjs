import { describeError } from '../harness/ask.mjs';
import { Latencies } from '../harness/latencies.mjs';

/** After so many failures a run is given up: what it measures is not the load. */
const MAX_FAILURES = 20;

/**
 * Keeps so many calls in flight on each connection until time or calls are up, then waits for those under way.
 *
 * @param {{ connections: any[], inFlight: number, method: string, payloads: any[], until: (calls: number, now: number) => boolean,
 *   latencies?: Latencies, alsoAtOnce?: { payloads: any[] } }} options `alsoAtOnce`: one more call in flight of other payloads, which
 *   is not counted among the calls
 */
export function closedLoop({
  connections,
  inFlight,
  method,
  payloads,
  until,
  latencies = new Latencies(),
  alsoAtOnce,
}) {
  return new Promise((resolve, reject) => {
    const began = performance.now();
    let calls = 0;
    let others = 0;
    let pending = 0;
    let failures = 0;
    let failure;
    let isOver = false;
    let last = began;

    const ended = () => {
      if (pending > 0) return;
      if (failure !== undefined) reject(new Error(`${failures} calls failed: ${failure}`));
      else resolve({ calls, others, seconds: (last - began) / 1000, latencies });
    };

    const slot = (connection, payload, isCounted) => {
      let sentAt = 0;
      const done = (error, answer) => {
        const now = performance.now();
        pending--;
        if (error !== undefined || !payload.isAnswer(answer)) {
          failures++;
          failure ??= error === undefined ? 'a wrong answer' : describeError(error);
          if (failures >= MAX_FAILURES) isOver = true;
        } else if (isCounted) {
          calls++;
          latencies.record(now - sentAt);
          last = now;
        } else others++;
        isOver ||= until(calls, now - began);
        if (isOver) ended();
        else send();
      };
      const send = () => {
        pending++;
        sentAt = performance.now();
        connection.call(method, payload.value, done);
      };
      send();
    };

    let next = 0;
    for (const connection of connections) {
      for (let i = 0; i < inFlight; i++) slot(connection, payloads[next++ % payloads.length], true);
      if (alsoAtOnce !== undefined) slot(connection, alsoAtOnce.payloads[0], false);
    }
  });
}

/** Oneway requests, and after each thousand a call: the server has seen all before it. */
export async function onewayLoop({ connections, payloads, until }) {
  const BATCH = 1000;
  const latencies = new Latencies();
  const began = performance.now();
  let calls = 0;
  const flood = async (connection) => {
    while (!until(calls, performance.now() - began)) {
      const sentAt = performance.now();
      for (let i = 0; i < BATCH; i++) connection.oneway('count', payloads[i % payloads.length].value);
      await callOnce(connection, payloads[0]);
      latencies.record(performance.now() - sentAt);
      calls += BATCH;
    }
  };
  await Promise.all(connections.map(flood));
  return { calls, others: 0, seconds: (performance.now() - began) / 1000, latencies };
}

/** Connections that live for one call. */
export async function churnLoop({ connect, workers, payloads, until }) {
  const latencies = new Latencies();
  const began = performance.now();
  let calls = 0;
  const churn = async (payload) => {
    while (!until(calls, performance.now() - began)) {
      const sentAt = performance.now();
      const connection = await connect();
      await callOnce(connection, payload);
      await connection.close();
      latencies.record(performance.now() - sentAt);
      calls++;
    }
  };
  await Promise.all(Array.from({ length: workers }, (_, i) => churn(payloads[i % payloads.length])));
  return { calls, others: 0, seconds: (performance.now() - began) / 1000, latencies };
}

export function callOnce(connection, payload, method = 'echo') {
  return new Promise((resolve, reject) => {
    connection.call(method, payload.value, (error, answer) => {
      if (error !== undefined) reject(error instanceof Error ? error : new Error(describeError(error)));
      else if (!payload.isAnswer(answer)) reject(new Error('a wrong answer'));
      else resolve();
    });
  });
}
