import { connect as connectHttp2 } from 'node:http2';
import { connect } from 'node:net';

/** The beginning of a frame of 2 GiB in each package's own wire; where the wire cannot say so much, the most it can. */
const HEAD_OF = {
  bare: () => uint32(0x7fffffff),
  rsocket: () => Buffer.concat([rsocketSetup(), Buffer.from([0xff, 0xff, 0xff])]),
  nest: () => Buffer.from('2147483647#'),
  moleculer: () => {
    const head = Buffer.from([0, 0x7f, 0xff, 0xff, 0xff, 1]);
    head[0] = head[1] ^ head[2] ^ head[3] ^ head[4] ^ head[5];
    return head;
  },
  'vscode-jsonrpc': () => Buffer.from('Content-Length: 2147483647\r\n\r\n'),
  // Bolt 1: protocol, type, command (2), version, id (4), codec, timeout (4), class length (2), header length (2), content length (4).
  'sofa-rpc': () =>
    Buffer.concat([
      Buffer.from([1, 1, 0, 1, 1]),
      uint32(1),
      Buffer.from([1]),
      uint32(3000),
      Buffer.from([0, 0, 0, 0]),
      uint32(0x7fffffff),
    ]),
  rmqns: () => uint32(0x7fffffff),
};

const ANNOUNCED = { rsocket: '16 MiB (the most it can)' };
const CHUNK = Buffer.alloc(256 * 1024, 'x');

/** Sends the head; `send` adds as much as the connection takes at once. */
export function announceTwoGib(peerName, port) {
  if (peerName === 'grpc-js') return announceOverHttp2(port);
  const wire = peerName.startsWith('rmqns') ? 'rmqns' : peerName;
  const socket = connect({ port, host: '127.0.0.1' });
  socket.write(HEAD_OF[wire]());
  return attackOver(socket, socket, ANNOUNCED[wire] ?? '2 GiB');
}

/** A message of gRPC has its length before it, within the stream of one call. */
function announceOverHttp2(port) {
  const session = connectHttp2(`http://127.0.0.1:${port}`);
  session.on('error', () => {});
  const stream = session.request({
    ':method': 'POST',
    ':path': '/bench.Bench/echo',
    'content-type': 'application/grpc',
    te: 'trailers',
  });
  stream.write(Buffer.concat([Buffer.from([0]), uint32(0x7fffffff)]));
  stream.resume();
  return attackOver(stream, session, '2 GiB');
}

function attackOver(writable, owner, announced) {
  let sent = 0;
  let closedAt;
  let isReady = true;
  const closed = () => {
    closedAt ??= Date.now();
  };
  for (const emitter of new Set([writable, owner])) {
    emitter.on('error', closed);
    emitter.on('close', closed);
  }
  // A server that ended its half has given up, though the socket may stand.
  writable.on('end', closed);
  writable.resume();
  writable.on('drain', () => {
    isReady = true;
  });
  return {
    announced,
    send() {
      while (isReady && closedAt === undefined) {
        sent += CHUNK.length;
        isReady = writable.write(CHUNK);
      }
    },
    // What the sockets still hold was not taken.
    sentBytes: () => Math.max(0, sent - (writable.writableLength ?? 0)),
    isClosed: () => closedAt !== undefined,
    closedAt: () => closedAt,
    destroy() {
      const at = closedAt;
      writable.destroy();
      owner.destroy();
      closedAt = at;
    },
  };
}

/** rsocket takes nothing before this: version 1.0, keepalive 60 s, lifetime 180 s, two MIME types. */
function rsocketSetup() {
  const mime = Buffer.from('application/octet-stream');
  const typed = Buffer.concat([Buffer.from([mime.length]), mime]);
  const frame = Buffer.concat([
    uint32(0),
    Buffer.from([0x01 << 2, 0]),
    Buffer.from([0, 1, 0, 0]),
    uint32(60_000),
    uint32(180_000),
    typed,
    typed,
  ]);
  return Buffer.concat([uint32(frame.length).subarray(1), frame]);
}

function uint32(value) {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(value);
  return bytes;
}
