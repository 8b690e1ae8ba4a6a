/** A name server alone in its process. Argument: the port, 0 for any free one. */
import { createNameServer } from '@rmqns/namesrv';
import { answerQuestions } from '../harness/ask.mjs';

const server = createNameServer({ bindAddress: '127.0.0.1', listenPort: Number(process.argv[2] ?? 0) });
const began = performance.now();
/** When each broker came, in milliseconds since the process began to listen. */
const came = new Map();
let onCame = () => {};
server.on('change', (event) => {
  if (event.type !== 'broker.registered' || came.has(event.addr)) return;
  came.set(event.addr, performance.now() - began);
  onCame();
});

answerQuestions({
  async listen() {
    await server.start();
    return { address: server.address };
  },
  /** Microseconds of CPU so far. */
  cpuMicros() {
    const { user, system } = process.cpuUsage();
    return user + system;
  },
  /** When so many brokers have come: the time of each. */
  cameMillis: ({ count }) =>
    new Promise((resolve) => {
      onCame = () => {
        if (came.size >= count) resolve([...came.values()]);
      };
      onCame();
    }),
});
