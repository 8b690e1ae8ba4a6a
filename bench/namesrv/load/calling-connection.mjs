import { once } from 'node:events';
import { connect } from 'node:net';
import { AnswerReader } from './answer-reader.mjs';
import { FIRST_OPAQUE, OPAQUES, setOpaque } from './requests.mjs';

const CALL_MILLIS = 30_000;

/** A connection with one request under way at a time. */
export class CallingConnection {
  #socket;
  #reader = new AnswerReader();
  #calls = 0;
  #waiting;
  #failure;

  static async open(port) {
    const socket = connect({ port, host: '127.0.0.1', noDelay: true });
    await once(socket, 'connect');
    return new CallingConnection(socket);
  }

  constructor(socket) {
    this.#socket = socket;
    socket.on('data', (chunk) => this.#reader.push(chunk, (...answer) => this.#take(...answer)));
    socket.on('error', (error) => this.#fail(error));
    socket.on('close', () => this.#fail(new Error('the server closed a connection')));
  }

  /** Sends a frame's head and its body; `{ code, body }` of the answer. */
  call(head, body) {
    if (this.#failure !== undefined) return Promise.reject(this.#failure);
    const opaque = FIRST_OPAQUE + (this.#calls++ % OPAQUES);
    setOpaque(head, opaque);
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => this.#fail(new Error(`no answer within ${CALL_MILLIS} ms`)), CALL_MILLIS);
      this.#waiting = { opaque, resolve, reject, timer };
      this.#socket.cork();
      this.#socket.write(head.frame);
      if (body !== undefined) this.#socket.write(body);
      this.#socket.uncork();
    });
  }

  close() {
    this.#failure ??= new Error('the connection was closed');
    this.#socket.destroy();
  }

  #take(code, opaque, bytes, bodyAt, end) {
    const waiting = this.#waiting;
    if (waiting?.opaque !== opaque) return this.#fail(new Error(`an answer to ${opaque}, which nobody asked`));
    this.#waiting = undefined;
    clearTimeout(waiting.timer);
    waiting.resolve({ code, body: Buffer.from(bytes.subarray(bodyAt, end)) });
  }

  #fail(error) {
    this.#failure ??= error;
    if (this.#waiting !== undefined) {
      clearTimeout(this.#waiting.timer);
      this.#waiting.reject(error);
      this.#waiting = undefined;
    }
    this.#socket.destroy();
  }
}
