import { connect as connectSocket, createServer } from 'node:net';
import { connect as connectTls, createServer as createTlsServer } from 'node:tls';

/**
 * What Node itself costs: frames of a length, an id, a method and bytes, on plain sockets, and nothing a framework would add (no timeouts,
 * limits, errors, headers). The frames of one turn leave in one write, as every good server would do it.
 */
export const traits = { packages: [], carries: 'bytes', oneway: true, tls: true };

const HEAD = 9;
const FAILED = 0xff;
const METHODS = ['echo', 'slow', 'never', 'limited', 'object', 'count'];
/** Up to here copying into one buffer is cheaper than a vector of them. */
const COPY_BYTES = 128 * 1024;

export async function listen({ methods, tls }) {
  const handlers = METHODS.map((name) => methods[name]);
  const accept = (socket) => {
    socket.setNoDelay(true);
    const frames = new Frames(socket);
    frames.onFrame = (id, method, body) => {
      const result = handlers[method](body);
      if (result === undefined) return;
      if (typeof result.then !== 'function') frames.write(id, method, result);
      else
        result.then(
          (answer) => frames.write(id, method, answer),
          (error) => frames.write(id, FAILED, Buffer.from(error.message)),
        );
    };
  };
  const server = tls === undefined ? createServer(accept) : createTlsServer(tls, accept);
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  return { port: server.address().port };
}

export async function connect({ port, tls }) {
  const options = { port, host: '127.0.0.1' };
  const socket =
    tls === undefined ? connectSocket(options) : connectTls({ ...options, ca: tls.cert, servername: 'localhost' });
  socket.setNoDelay(true);
  await new Promise((resolve, reject) => {
    socket.once(tls === undefined ? 'connect' : 'secureConnect', resolve);
    socket.once('error', reject);
  });
  const frames = new Frames(socket);
  const pending = new Map();
  let nextId = 0;
  frames.onFrame = (id, method, body) => {
    const done = pending.get(id);
    pending.delete(id);
    if (method === FAILED) done(new Error(body.toString()));
    else done(undefined, body);
  };
  socket.on('close', () => {
    for (const done of pending.values()) done(new Error('closed'));
    pending.clear();
  });
  return {
    call(method, body, done) {
      if (socket.destroyed) {
        setImmediate(done, new Error('closed'));
        return;
      }
      const id = nextId++ >>> 0;
      pending.set(id, done);
      frames.write(id, METHODS.indexOf(method), body);
    },
    oneway: (method, body) => frames.write(0, METHODS.indexOf(method), body),
    close: () => socket.destroy(),
  };
}

class Frames {
  onFrame = () => {};
  #socket;
  #chunks = [];
  #bytes = 0;
  #wanted = HEAD;
  #out = [];
  #outBytes = 0;

  constructor(socket) {
    this.#socket = socket;
    socket.on('data', (chunk) => this.#read(chunk));
    socket.on('error', () => {});
  }

  write(id, method, body) {
    const head = Buffer.allocUnsafe(HEAD);
    head.writeUInt32BE(HEAD - 4 + body.length, 0);
    head.writeUInt32BE(id, 4);
    head[8] = method;
    if (this.#out.length === 0) process.nextTick(Frames.#flush, this);
    this.#out.push(head, body);
    this.#outBytes += HEAD + body.length;
  }

  static #flush(frames) {
    const out = frames.#out;
    frames.#out = [];
    if (frames.#outBytes <= COPY_BYTES) {
      frames.#socket.write(Buffer.concat(out, frames.#outBytes));
    } else {
      frames.#socket.cork();
      for (const chunk of out) frames.#socket.write(chunk);
      frames.#socket.uncork();
    }
    frames.#outBytes = 0;
  }

  #read(chunk) {
    this.#chunks.push(chunk);
    this.#bytes += chunk.length;
    if (this.#bytes < this.#wanted) return;
    const data = this.#chunks.length === 1 ? chunk : Buffer.concat(this.#chunks, this.#bytes);
    let at = 0;
    this.#wanted = HEAD;
    while (data.length - at >= HEAD) {
      const size = 4 + data.readUInt32BE(at);
      if (data.length - at < size) {
        this.#wanted = size;
        break;
      }
      this.onFrame(data.readUInt32BE(at + 4), data[at + 8], data.subarray(at + HEAD, at + size));
      at += size;
    }
    this.#bytes = data.length - at;
    this.#chunks = this.#bytes === 0 ? [] : [data.subarray(at)];
  }
}
