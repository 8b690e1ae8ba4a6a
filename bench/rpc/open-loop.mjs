import { describeError } from '../harness/ask.mjs';
import { Latencies } from '../harness/latencies.mjs';

const MAX_FAILURES = 20;

/**
 * Makes calls at a rate, over the connections in turn, whether answers come or not, then waits for those under way. Latency counts from when a
 * call was due, so that a server that stands still is charged for all that wait meanwhile. The loop is polled, not slept, between calls: the
 * CPU of this process says nothing.
 */
export function openLoop({ connections, perSecond, method, payloads, seconds }) {
  return new Promise((resolve, reject) => {
    const latencies = new Latencies();
    const everyMillis = 1000 / perSecond;
    const total = Math.max(1, Math.round(perSecond * seconds));
    const began = performance.now();
    let sent = 0;
    let ended = 0;
    let failures = 0;
    let failure;
    const finish = () => {
      if (failure !== undefined) reject(new Error(`${failures} calls failed: ${failure}`));
      else resolve({ calls: ended, others: 0, seconds: (performance.now() - began) / 1000, latencies });
    };
    const send = () => {
      const payload = payloads[sent % payloads.length];
      const dueAt = began + sent * everyMillis;
      connections[sent % connections.length].call(method, payload.value, (error, answer) => {
        ended++;
        if (error !== undefined || !payload.isAnswer(answer)) {
          failures++;
          failure ??= error === undefined ? 'a wrong answer' : describeError(error);
        } else latencies.record(performance.now() - dueAt);
        if (isOver && ended === sent) finish();
      });
      sent++;
    };
    let isOver = false;
    const poll = () => {
      const due = Math.min(total, Math.floor((performance.now() - began) / everyMillis) + 1);
      while (sent < due) send();
      isOver = sent === total || failures >= MAX_FAILURES;
      if (!isOver) setImmediate(poll);
      else if (ended === sent) finish();
    };
    poll();
  });
}
