import { readFileSync } from 'node:fs';
import { setPriority } from 'node:os';
import { fileURLToPath } from 'node:url';
import { startChild } from '../harness/pinned-child.mjs';

const serverModule = fileURLToPath(new URL('../rpc/server-process.mjs', import.meta.url));
const clientModule = fileURLToPath(new URL('client-process.mjs', import.meta.url));

const PAGE_BYTES = 4096;
const SAMPLE_MILLIS = 20;
const WATCH_EVERY_MILLIS = 10;
/** How long the other client is watched before the fault and at least during it, and memory after it. */
const QUIET_MILLIS = 1000;

/** A client in a process of its own; it connects when it is asked to. */
export function startClient(peerName, name) {
  return startChild({ module: clientModule, args: [peerName], core: 1, name });
}

/** One peer's server, the client that meets the fault, and another client that does nothing wrong. */
export async function openRoom(peerName) {
  const server = startChild({ module: serverModule, args: [peerName, '{"brisk":true}'], core: 0, name: 'the server' });
  const client = startClient(peerName, 'the client');
  const other = startClient(peerName, 'the other client');
  // The client with the fault may work hard; the processor is the other one's first.
  setPriority(client.pid, 10);
  const close = () => Promise.all([client.end(), other.end(), server.end()]);
  try {
    const { port } = await server.ask('listen');
    await other.ask('connect', { key: 'other', port, brisk: true, timeoutMillis: 30_000 });
    return { server, client, other, port, close };
  } catch (error) {
    await close();
    throw error;
  }
}

/**
 * Does something to the server and tells what it did to its memory and to the other client. The fault must end by itself.
 *
 * @param {() => Promise<object>} fault gives figures of its own
 */
export async function underWatch({ server, other }, fault) {
  const rss = new RssSampler(server.pid);
  try {
    await other.ask('watchBegin', { key: 'other', everyMillis: WATCH_EVERY_MILLIS });
    await pause(QUIET_MILLIS);
    const before = await other.ask('watchEnd');
    rss.mark('before');
    await other.ask('watchBegin', { key: 'other', everyMillis: WATCH_EVERY_MILLIS });
    const [figures] = await Promise.all([fault(), pause(QUIET_MILLIS)]);
    const during = await other.ask('watchEnd');
    rss.mark('end');
    await pause(QUIET_MILLIS);
    rss.mark('after');
    return {
      ...figures,
      rssMiB: { before: rss.marks.before, peak: rss.peak, after: rss.marks.after },
      otherP99Millis: { before: before.p99Millis, during: during.p99Millis },
      otherFailed: during.failed,
      serverCrashed: server.isRunning ? undefined : await server.exited,
    };
  } finally {
    rss.stop();
  }
}

/** Memory as the system counts it, also of a process that cannot answer. */
class RssSampler {
  marks = {};
  peak = 0;
  #pid;
  #timer;

  constructor(pid) {
    this.#pid = pid;
    this.#timer = setInterval(() => this.#sample(), SAMPLE_MILLIS);
  }

  mark(name) {
    this.marks[name] = this.#sample();
  }

  stop() {
    clearInterval(this.#timer);
  }

  #sample() {
    try {
      const pages = Number(readFileSync(`/proc/${this.#pid}/statm`, 'utf8').split(' ')[1]);
      const mebibytes = (pages * PAGE_BYTES) / 2 ** 20;
      this.peak = Math.max(this.peak, mebibytes);
      return mebibytes;
    } catch {
      return Number.NaN;
    }
  }
}

export function pause(millis) {
  return new Promise((resolve) => setTimeout(resolve, millis));
}
