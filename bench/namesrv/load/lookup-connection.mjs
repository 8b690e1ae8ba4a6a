import { once } from 'node:events';
import { connect } from 'node:net';
import { AnswerReader } from './answer-reader.mjs';
import { FIRST_OPAQUE, OPAQUES, writeDigits } from './requests.mjs';

/** A connection that looks up routes, many under way at once, and checks each answer. */
export class LookupConnection {
  #socket;
  #reader = new AnswerReader();
  #plan;
  #asked = 0;
  /** By opaque: the topic, and when the request was due. */
  #topics = new Map();
  #dues = new Map();
  #ready = [];
  #random;

  static async open(port, plan, seed) {
    const socket = connect({ port, host: '127.0.0.1', noDelay: true });
    await once(socket, 'connect');
    return new LookupConnection(socket, plan, seed);
  }

  /** @param {import('./lookup-plan.mjs').LookupPlan} plan */
  constructor(socket, plan, seed) {
    this.#socket = socket;
    this.#plan = plan;
    this.#random = Math.imul(seed + 1, 0x9e3779b1) | 1;
    socket.on('data', (chunk) => {
      const at = performance.now();
      let answers = 0;
      try {
        this.#reader.push(chunk, (code, opaque, bytes, bodyAt, end) => {
          answers++;
          this.#take(at, code, opaque, bytes, bodyAt, end);
        });
      } catch (error) {
        plan.fail(error);
      }
      if (answers > 0) plan.onAnswers(this, answers);
    });
    socket.on('error', (error) => plan.fail(error));
    socket.on('close', () => plan.fail(new Error('the server closed a connection')));
  }

  get pending() {
    return this.#topics.size;
  }

  /** Makes a request ready to be sent with the next flush. */
  ask(dueAt) {
    this.#random ^= this.#random << 13;
    this.#random ^= this.#random >>> 17;
    this.#random ^= this.#random << 5;
    const topic = (this.#random >>> 0) % this.#plan.requests.length;
    const opaque = FIRST_OPAQUE + (this.#asked++ % OPAQUES);
    this.#topics.set(opaque, topic);
    this.#dues.set(opaque, dueAt);
    this.#ready.push(topic, opaque);
  }

  flush() {
    const ready = this.#ready;
    if (ready.length === 0) return;
    const { requests } = this.#plan;
    let length = 0;
    for (let i = 0; i < ready.length; i += 2) length += requests[ready[i]].frame.length;
    const out = Buffer.allocUnsafe(length);
    let at = 0;
    for (let i = 0; i < ready.length; i += 2) {
      const { frame, opaqueAt } = requests[ready[i]];
      frame.copy(out, at);
      writeDigits(out, at + opaqueAt + 8, ready[i + 1]);
      at += frame.length;
    }
    ready.length = 0;
    this.#socket.write(out);
  }

  close() {
    this.#socket.removeAllListeners('close');
    this.#socket.destroy();
  }

  #take(at, code, opaque, bytes, bodyAt, end) {
    const topic = this.#topics.get(opaque);
    if (topic === undefined) throw new Error(`an answer to ${opaque}, which nobody asked`);
    this.#plan.take(topic, at - this.#dues.get(opaque), code, bytes, bodyAt, end);
    this.#topics.delete(opaque);
    this.#dues.delete(opaque);
  }
}
