import { once } from 'node:events';
import { connect } from 'node:net';
import { AnswerReader } from './answer-reader.mjs';
import { FIRST_OPAQUE, OPAQUES, routeRequest, setOpaque } from './requests.mjs';
import { checkRoute } from './route-check.mjs';

const DRAIN_MILLIS = 10_000;

/**
 * A lookup each millisecond on a connection of its own, which never waits for an answer before the next: a server that stalls delays all
 * that were sent meanwhile, and the longest delay is the stall. How late a probe was sent is this process's own matter and told apart.
 */
export class Probe {
  #socket;
  #reader = new AnswerReader();
  #request;
  #sent = 0;
  #pending = new Map();
  #delays = [];
  #lates = [];
  #failure;
  #stopped = true;
  #known;

  /** @param {{ port: number, topic: string, broker: number, version: number, isChecked: boolean }} options */
  static async open({ port, topic, broker, version, isChecked }) {
    const socket = connect({ port, host: '127.0.0.1', noDelay: true });
    await once(socket, 'connect');
    return new Probe(socket, { topic, broker, version, isChecked });
  }

  constructor(socket, { topic, broker, version, isChecked }) {
    this.#socket = socket;
    this.#request = routeRequest(topic, version);
    socket.on('error', (error) => this.#fail(error));
    socket.on('close', () => this.#fail(new Error("the server closed the probe's connection")));
    socket.on('data', (chunk) => {
      const at = performance.now();
      try {
        this.#reader.push(chunk, (code, opaque, bytes, bodyAt, end) => {
          const sentAt = this.#pending.get(opaque);
          if (sentAt === undefined || code !== 0) throw new Error(`a probe was answered with ${code}`);
          this.#pending.delete(opaque);
          this.#delays.push(at - sentAt);
          if (this.#known?.compare(bytes, bodyAt, end) === 0) return;
          this.#known = Buffer.from(bytes.subarray(bodyAt, end));
          if (isChecked) checkRoute(this.#known, topic, [broker], 8);
        });
      } catch (error) {
        this.#fail(error);
      }
    });
  }

  start() {
    this.#delays = [];
    this.#lates = [];
    this.#stopped = false;
    let dueAt = performance.now();
    const poll = () => {
      if (this.#stopped || this.#failure !== undefined) return;
      const now = performance.now();
      if (now >= dueAt) {
        this.#lates.push(now - dueAt);
        const opaque = FIRST_OPAQUE + (this.#sent++ % OPAQUES);
        setOpaque(this.#request, opaque);
        this.#pending.set(opaque, now);
        this.#socket.write(Buffer.from(this.#request.frame));
        // Those that were missed altogether are not sent later.
        dueAt = Math.max(dueAt + 1, now);
      }
      setImmediate(poll);
    };
    poll();
  }

  /** Waits for the answers to all, and tells the delays in milliseconds. */
  async stop() {
    this.#stopped = true;
    const endsAt = performance.now() + DRAIN_MILLIS;
    while (this.#pending.size > 0 && this.#failure === undefined) {
      if (performance.now() > endsAt) this.#fail(new Error(`${this.#pending.size} probes were never answered`));
      await new Promise((resolve) => setTimeout(resolve, 1));
    }
    if (this.#failure !== undefined) throw this.#failure;
    const sorted = this.#delays.sort((a, b) => a - b);
    return {
      probes: sorted.length,
      p99Millis: sorted[Math.floor(sorted.length * 0.99)],
      maxMillis: sorted.at(-1),
      lateMillis: Math.max(...this.#lates),
    };
  }

  close() {
    this.#socket.removeAllListeners('close');
    this.#socket.destroy();
  }

  #fail(error) {
    this.#failure ??= error;
  }
}
