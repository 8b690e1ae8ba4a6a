import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect } from 'chai';
import type { ChannelSocket } from '../../src/channel/socket-channel.js';
import { ManualClock } from '../../src/manual-clock.js';
import { RemotingServer } from '../../src/server/remoting-server.js';

const CONNECTIONS = 2_000;
/** What our own objects of a connection may take; a socket of Node's comes on top. They take some 4 KB. */
const MAX_BYTES = 5_000;

/** As little of a socket as there can be. */
function socket(port: number): ChannelSocket {
  const itself = (): unknown => made;
  const made = { remoteAddress: '127.0.0.1', remotePort: port, localAddress: '127.0.0.1', localPort: 1 };
  for (const name of ['on', 'once', 'pause', 'resume', 'end', 'destroy', 'setNoDelay'])
    Object.assign(made, { [name]: itself });
  return made as unknown as ChannelSocket;
}

describe('an idle connection', () => {
  it('takes little memory beside its socket', async () => {
    setFlagsFromString('--expose-gc');
    const collect = runInNewContext('gc') as () => void;
    const server = new RemotingServer({ clock: new ManualClock() });
    const serve = (sockets: readonly ChannelSocket[]): void => {
      for (const each of sockets) server.accept(each);
    };
    serve([socket(1)]);
    const sockets = Array.from({ length: CONNECTIONS }, (_, i) => socket(i));
    collect();
    const before = process.memoryUsage().heapUsed;
    serve(sockets);
    collect();
    const bytes = (process.memoryUsage().heapUsed - before) / CONNECTIONS;
    expect(server.channels.size).to.equal(CONNECTIONS + 1);
    expect(bytes).to.be.below(MAX_BYTES);
    await server.destroy();
  });
});
