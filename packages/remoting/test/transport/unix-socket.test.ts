import { once } from 'node:events';
import { connect, createServer } from 'node:net';
import { join } from 'node:path';
import { TemporaryDirectory } from '@rmqns/test-kit';
import { itBehavesAsATransport } from './conformance.js';
import { listeningPair } from './listening-pair.js';

describe('a connection over a Unix socket (W91)', () => {
  let directory: TemporaryDirectory;
  let sockets = 0;
  before(async () => {
    directory = await TemporaryDirectory.create();
  });
  after(() => directory[Symbol.asyncDispose]());

  itBehavesAsATransport(async (options) => {
    const path = join(directory.path, `${++sockets}.sock`);
    return await listeningPair(options, async (accept) => {
      const listener = createServer({ allowHalfOpen: true }, accept).listen(path);
      await once(listener, 'listening');
      return { listener, connect: () => connect({ path, allowHalfOpen: true }) };
    });
  });
});
