/**
 * The floor of a name server on Node: plain `net`, one fixed route as the answer to every request, nothing decoded but the frame's length and the
 * opaque. With `--crc` it also does what a registration cannot do without: the checksum of the body, compared with the header's, of which
 * a difference is answered with code 1. Bodies are not gathered: each chunk is looked at once, however long the frame. Only for loads of
 * JSON headers whose opaques are eight digits long. Arguments: [--crc] PORT [BROKERS] [QUEUES].
 */
import { createServer } from 'node:net';
import { crc32 } from 'node:zlib';

const args = process.argv.slice(2);
const isChecking = args[0] === '--crc';
if (isChecking) args.shift();
const [port = 9876, brokers = 1, queues = 8] = args.map(Number);

const names = Array.from({ length: brokers }, (_, i) => `broker-${String(i).padStart(4, '0')}`);
const body = JSON.stringify({
  brokerDatas: names.map((brokerName, i) => ({
    brokerAddrs: { 0: `127.0.0.1:${20_000 + i}` },
    brokerName,
    cluster: 'bench-cluster',
  })),
  filterServerTable: {},
  queueDatas: names.map((brokerName) => ({
    brokerName,
    perm: 6,
    readQueueNums: queues,
    topicSysFlag: 0,
    writeQueueNums: queues,
  })),
});
const header = '{"code":0,"flag":1,"language":"JAVA","opaque":00000000,"serializeTypeCurrentRPC":"JSON","version":407}';
const response = Buffer.alloc(8 + header.length + body.length);
response.writeUInt32BE(4 + header.length + body.length, 0);
response.writeUInt32BE(header.length, 4);
response.write(header, 8, 'latin1');
response.write(body, 8 + header.length, 'latin1');
const codeAt = 8 + header.indexOf('0');
const opaqueAt = 8 + header.indexOf('00000000');
const opaqueKey = Buffer.from('"opaque":');
const crcKey = Buffer.from('"bodyCrc32":"');
const none = [];

createServer({ noDelay: true }, serve).listen({ host: '127.0.0.1', port, backlog: 4096 });

function serve(socket) {
  /** A frame's first bytes, while its header has not all arrived. */
  let start;
  /** What is to come of the body that is being read, the checksum so far and as it is to be, and its request's opaque. */
  let left = 0;
  let crc = 0;
  let wanted = 0;
  const opaque = Buffer.alloc(8);

  socket.on('error', () => socket.destroy());
  socket.on('data', (chunk) => {
    let bytes = chunk;
    let at = 0;
    if (left > 0) {
      at = Math.min(left, chunk.length);
      if (wanted !== 0) crc = crc32(chunk.subarray(0, at), crc);
      left -= at;
      if (left > 0) return;
      socket.write(answers(opaque, [0], wanted !== 0 && (crc & 0x7fffffff) !== wanted ? [0] : none));
    } else if (start !== undefined) {
      bytes = Buffer.concat([start, chunk]);
      start = undefined;
    }
    const opaques = [];
    let wrong = none;
    while (bytes.length - at >= 8) {
      const size = 4 + bytes.readUInt32BE(at);
      if (bytes.length - at < size) break;
      if (isChecking && isRegistration(bytes, at)) {
        const bodyAt = at + 8 + bytes.readUInt32BE(at + 4);
        wanted = crcOf(bytes.subarray(at + 8, bodyAt));
        if (wanted !== 0 && (crc32(bytes.subarray(bodyAt, at + size)) & 0x7fffffff) !== wanted)
          wrong = [...wrong, opaques.length];
      }
      opaques.push(bytes.indexOf(opaqueKey, at + 8) + opaqueKey.length);
      at += size;
    }
    if (opaques.length > 0) socket.write(answers(bytes, opaques, wrong));
    if (at === bytes.length) return;
    const bodyAt = bytes.length - at < 8 ? bytes.length + 1 : at + 8 + bytes.readUInt32BE(at + 4);
    if (bodyAt > bytes.length) {
      start = bytes.subarray(at);
      return;
    }
    const opaqueFrom = bytes.indexOf(opaqueKey, at + 8) + opaqueKey.length;
    bytes.copy(opaque, 0, opaqueFrom, opaqueFrom + 8);
    left = at + 4 + bytes.readUInt32BE(at) - bytes.length;
    wanted = isChecking && isRegistration(bytes, at) ? crcOf(bytes.subarray(at + 8, bodyAt)) : 0;
    if (wanted !== 0) crc = crc32(bytes.subarray(bodyAt));
  });
}

/** The load's headers begin with {"code":103, for a registration. */
function isRegistration(bytes, frame) {
  return bytes[frame + 18] === 0x33 && bytes[frame + 16] === 0x31 && bytes[frame + 17] === 0x30;
}

/** The header's checksum; 0, as for a header without one, means that nothing is checked. */
function crcOf(head) {
  const at = head.indexOf(crcKey) + crcKey.length;
  return at < crcKey.length ? 0 : Number(head.latin1Slice(at, head.indexOf(0x22, at)));
}

/** The answers to the requests whose opaques are at these places, those numbered in `wrong` with code 1. */
function answers(bytes, opaques, wrong) {
  const out = Buffer.allocUnsafe(response.length * opaques.length);
  for (let i = 0; i < opaques.length; i++) {
    const at = i * response.length;
    response.copy(out, at);
    bytes.copy(out, at + opaqueAt, opaques[i], opaques[i] + 8);
  }
  for (const i of wrong) out[i * response.length + codeAt] = 0x31;
  return out;
}
