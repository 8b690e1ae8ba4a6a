import { expect } from 'chai';
import { RemotingClient } from '../../src/client/remoting-client.js';
import { defineCommand } from '../../src/command/define-command.js';
import { RemotingCommand } from '../../src/command/remoting-command.js';
import { RemotingServer } from '../../src/server/remoting-server.js';
import { ManualClock } from '../../src/testing.js';
import { PACKAGE_VERSION } from '../../src/version.js';

const Greet = defineCommand({ code: 9001, name: 'GREET' });

describe('RemotingServer.describe', () => {
  it('tells of commands, queues, connections, calls, permits and counts, as JSON (W82)', async () => {
    const clock = new ManualClock();
    await using server = new RemotingServer({ clock });
    await using client = new RemotingClient();
    const answers: ((response: RemotingCommand) => void)[] = [];
    server.handle(Greet, () => {});
    server.registerProcessor(
      7,
      { processRequest: () => new Promise((resolve) => answers.push(resolve)) },
      { concurrency: 1, queueCapacity: 5 },
    );
    expect(server.describe()).to.include({ state: 'new', address: null, hasDefaultProcessor: false });
    await server.start();

    const calls = [1, 2, 3].map(() => client.invokeSync(server.address, RemotingCommand.request(7)));
    // What comes behind on the same connection is answered when those before it have begun or wait.
    await client.call(server.address, Greet, {});
    clock.advance(40);
    const [channel] = server.channels;
    if (channel === undefined) throw new Error('no connection');

    const description = server.describe();
    const { counters, channels, ...rest } = description;
    const queue = {
      concurrency: 1,
      queueCapacity: 5,
      running: 1,
      waiting: 2,
      oldestMillis: 40,
      refused: 0,
      expired: 0,
    };
    expect(rest).to.deep.equal({
      version: PACKAGE_VERSION,
      state: 'listening',
      address: server.address,
      subServers: [],
      commands: [
        { code: 7, name: null, queue },
        { code: 9001, name: 'GREET', queue: null },
      ],
      hasDefaultProcessor: false,
      requestsInFlight: 3,
      callsInFlight: 0,
      permits: { async: { total: 64, free: 64, waiting: 0 }, oneway: { total: 256, free: 256, waiting: 0 } },
    });
    expect(channels).to.deep.equal([
      {
        id: channel.id,
        remoteAddress: channel.remoteAddress,
        localAddress: server.address,
        isWritable: true,
        isReading: true,
        pendingCalls: 0,
        pendingBytes: 0,
        bytesRead: channel.bytesRead,
        bytesWritten: channel.bytesWritten,
      },
    ]);
    server.newRemotingServer(0);
    expect(server.describe().subServers.map(({ state, address }) => [state, address])).to.deep.equal([['new', null]]);
    expect(counters).to.deep.equal(server.counters);
    expect(JSON.parse(JSON.stringify(description))).to.deep.equal(description);

    for (let answered = 0; answered < 3; answered++) {
      answers.shift()?.(RemotingCommand.response(0));
      await calls[answered];
    }
    const closed = server.close();
    expect(server.describe().state).to.equal('closing');
    await client.close();
    await closed;
    expect(server.describe()).to.include({ requestsInFlight: 0 });
    expect(server.describe().channels).to.deep.equal([]);
  });
});
