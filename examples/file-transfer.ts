// A file that is larger than a frame: it goes in chunks, a few of them in flight, and is checked at the end.
import { createHash, randomBytes } from 'node:crypto';
import { type FileHandle, mkdtemp, open, readFile, rename, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { CommandError, defineCommand, RemotingClient, RemotingServer, t } from '@rmqns/remoting';

const CHUNK_BYTES = 256 * 1024;
/** Chunks under way at once: enough to keep the line busy, and all that is in memory. */
const WINDOW = 4;
const UPLOAD_FAILED = 9301;

const Begin = defineCommand({ code: 9301, name: 'UPLOAD_BEGIN', response: { uploadId: t.string() } });
const Chunk = defineCommand({
  code: 9302,
  name: 'UPLOAD_CHUNK',
  request: { uploadId: t.string(), offset: t.long() },
});
const End = defineCommand({
  code: 9303,
  name: 'UPLOAD_END',
  request: { uploadId: t.string(), byteLength: t.long(), sha256: t.string() },
});

const directory = await mkdtemp(join(tmpdir(), 'file-transfer-'));

// The server writes beside the target, and renames when all is there: nobody ever sees half a file.
const uploads = new Map<string, FileHandle>();
const partPath = (uploadId: string) => join(directory, `${uploadId}.part`);
const uploadOf = (uploadId: string): FileHandle => {
  const file = uploads.get(uploadId);
  if (file === undefined) throw new CommandError(UPLOAD_FAILED, `there is no upload ${uploadId}`);
  return file;
};

const server = new RemotingServer({ host: '127.0.0.1', port: 0 });
server.handle(Begin, async () => {
  const uploadId = randomBytes(8).toString('hex');
  uploads.set(uploadId, await open(partPath(uploadId), 'wx'));
  return { header: { uploadId } };
});
server.handle(Chunk, async ({ header, body }) => {
  const file = uploadOf(header.uploadId);
  if (body !== undefined) await file.write(body, 0, body.length, Number(header.offset));
});
server.handle(End, async ({ header }) => {
  const file = uploadOf(header.uploadId);
  uploads.delete(header.uploadId);
  await file.sync();
  await file.close();
  const bytes = await readFile(partPath(header.uploadId));
  const sha256 = createHash('sha256').update(bytes).digest('hex');
  if (bytes.length !== Number(header.byteLength) || sha256 !== header.sha256) {
    await rm(partPath(header.uploadId));
    throw new CommandError(UPLOAD_FAILED, `the file came with ${bytes.length} bytes that are not what was sent`);
  }
  await rename(partPath(header.uploadId), join(directory, 'received.bin'));
});
await server.start();

async function upload(client: RemotingClient, address: string, path: string): Promise<number> {
  const { header } = await client.call(address, Begin, {});
  const { uploadId } = header;
  const hash = createHash('sha256');
  const underWay = new Set<Promise<unknown>>();
  let offset = 0;
  const file = await open(path, 'r');
  try {
    for await (const chunk of file.createReadStream({ highWaterMark: CHUNK_BYTES, autoClose: false })) {
      const body = chunk as Buffer;
      hash.update(body);
      const sent = client.call(address, Chunk, { uploadId, offset }, { body });
      underWay.add(sent);
      void sent.finally(() => underWay.delete(sent)).catch(() => {});
      offset += body.length;
      if (underWay.size >= WINDOW) await Promise.race(underWay);
    }
  } finally {
    await file.close();
  }
  await Promise.all(underWay);
  await client.call(address, End, { uploadId, byteLength: offset, sha256: hash.digest('hex') });
  return offset;
}

const source = join(directory, 'source.bin');
const content = randomBytes(20 * 1024 * 1024 + 7);
const written = await open(source, 'w');
await written.write(content);
await written.close();

const client = new RemotingClient({ timeoutMillis: 10_000 });
console.log(`sent ${await upload(client, server.address, source)} bytes`);
const received = await readFile(join(directory, 'received.bin'));
console.log(received.equals(content) ? 'and they are there' : 'and they are not the same');

await client.close();
await server.close();
await rm(directory, { recursive: true });
