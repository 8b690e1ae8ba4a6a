/** What every server under test can do. */

const SLOW_MILLIS = 10;

/** At once eight, each of 8 ms: 1,000 a second, and what comes beyond that waits. */
export const LIMITED_AT_ONCE = 8;
const LIMITED_MILLIS = 8;

/** How long a call may wait for that, where a package can refuse those that wait longer. */
export const LIMITED_QUEUE_MILLIS = 200;

export const LIMITED_PER_SECOND = (LIMITED_AT_ONCE * 1000) / LIMITED_MILLIS;

/** @param {{ object: 'native' | 'json' }} traits */
export function makeMethods({ object }) {
  let received = 0;
  const limited = limit(LIMITED_AT_ONCE, LIMITED_MILLIS);
  return {
    methods: {
      echo: (payload) => payload,
      /** Asynchronous work that costs nothing, as a query to something else would be. */
      slow: (payload) => new Promise((resolve) => setTimeout(resolve, SLOW_MILLIS, payload)),
      never: () => new Promise(() => {}),
      limited: limited.run,
      object: object === 'native' ? (payload) => payload : (bytes) => Buffer.from(JSON.stringify(JSON.parse(bytes))),
      count: () => {
        received++;
      },
    },
    /** Oneway requests that came in. */
    received: () => received,
    /** The longest that a call of `limited` has waited. */
    mostWaitedMillis: limited.mostWaitedMillis,
  };
}

/** Work behind a resource that so many can use at once, such as a pool of database connections. */
function limit(atOnce, millis) {
  const queue = [];
  let running = 0;
  let mostWaited = 0;
  const next = () => {
    running--;
    queue.shift()?.();
  };
  const start = (payload, resolve) => {
    running++;
    setTimeout(() => {
      resolve(payload);
      next();
    }, millis);
  };
  return {
    run: (payload) =>
      new Promise((resolve) => {
        if (running < atOnce) start(payload, resolve);
        else {
          const since = performance.now();
          queue.push(() => {
            mostWaited = Math.max(mostWaited, performance.now() - since);
            start(payload, resolve);
          });
        }
      }),
    mostWaitedMillis: () => mostWaited,
  };
}
