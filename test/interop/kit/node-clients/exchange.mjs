import { setTimeout as pause } from 'node:timers/promises';
import { AwaitedMessages, bodiesOf } from './awaited-messages.mjs';

const TAG = 'exchange';
const MILLIS_PER_SECOND = 1000;

/**
 * What each client program here does, as Exchange.java and the Go client do: sends messages, then consumes its own and those of others.
 *
 *     PROGRAM.mjs SERVER TOPIC NAME COUNT NAMES TIMEOUT_SECONDS
 *
 * NAME marks its messages; NAMES, separated by commas, are those whose messages it waits for, COUNT each. It exits 0 only if each has
 * arrived once; 1 if not in time, or one twice; 2 on any error.
 *
 * @param client `send(settings, bodies)`, and `consume(settings, onBody)` that returns how to close the consumer
 */
export async function exchange({ send, consume }) {
  const [server, topic, name, count, names, timeoutSeconds] = process.argv.slice(2);
  if (timeoutSeconds === undefined) {
    process.stderr.write('usage: SERVER TOPIC NAME COUNT NAMES TIMEOUT_SECONDS\n');
    process.exit(2);
  }
  // A client may leave timers and sockets behind, and answer an error by an event that nobody waits for.
  const fail = (error) => {
    process.stderr.write(`${error?.stack ?? error}\n`, () => process.exit(2));
  };
  process.on('uncaughtException', fail);
  const deadline = Date.now() + Number(timeoutSeconds) * MILLIS_PER_SECOND;
  const settings = { server, topic, name, tag: TAG };
  await send(settings, bodiesOf(name, Number(count)));
  process.stdout.write(`sent ${count} as ${name}\n`);
  const awaited = new AwaitedMessages(names.split(','), Number(count));
  const close = await consume(settings, (body) => awaited.take(body));
  await Promise.race([awaited.all, pause(deadline - Date.now())]);
  await close();
  const code = awaited.report();
  process.stdout.write('', () => process.exit(code));
}
