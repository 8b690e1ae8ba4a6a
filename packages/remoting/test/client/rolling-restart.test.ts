import { expect } from 'chai';
import { parseSocketAddress } from '../../src/channel/socket-address.js';
import { RemotingClient } from '../../src/client/remoting-client.js';
import { RemotingCommand } from '../../src/command/remoting-command.js';
import { RemotingServer } from '../../src/server/remoting-server.js';
import { until } from './raw-server.js';

/** Callers that have a call under way all the time. */
const CALLERS = 16;
/** What is answered of each of them between two restarts, so that each server of a list gets its turn. */
const ANSWERS_PER_STEP = 200;

describe('A rolling restart of three servers', () => {
  const cleanUps: (() => unknown)[] = [];
  afterEach(async () => {
    for (const cleanUp of cleanUps.splice(0).reverse()) await cleanUp();
  });

  async function serve(port: number): Promise<RemotingServer> {
    const server = new RemotingServer({ port });
    // Answers come in a later turn, so that some are under way whenever a close begins.
    server.registerDefaultProcessor({
      processRequest: () =>
        new Promise((resolve) => setImmediate(() => resolve(RemotingCommand.response(0, server.address)))),
    });
    await server.start();
    cleanUps.push(() => server.destroy());
    return server;
  }

  it('loses no call of clients that are calling all the time (GO_AWAY)', async () => {
    const servers = await Promise.all([serve(0), serve(0), serve(0)]);
    const client = new RemotingClient({ version: 476 });
    cleanUps.push(() => client.destroy());
    client.updateNameServerAddressList(servers.map(({ address }) => address));

    let answers = 0;
    let isOver = false;
    const failures: unknown[] = [];
    const call = async (): Promise<void> => {
      while (!isOver && failures.length === 0) {
        const response = await client.invokeSync(undefined, RemotingCommand.request(1)).catch((error: unknown) => {
          failures.push(error);
        });
        if (response?.code === 0) answers++;
        else if (response !== undefined) failures.push(`code ${response.code}`);
      }
    };
    const callers = Array.from({ length: CALLERS }, call);
    const more = (): Promise<void> => {
      const enough = answers + ANSWERS_PER_STEP;
      return until(() => answers >= enough || failures.length > 0);
    };

    // Whichever the client is connected with is the next to go, twice round.
    for (let step = 0; step < 6; step++) {
      await more();
      const index = Math.max(
        0,
        servers.findIndex(({ channels }) => channels.size > 0),
      );
      const old = servers[index] as RemotingServer;
      const { port } = parseSocketAddress(old.address);
      const { cut } = await old.close({ goAwayMillis: 2_000 });
      expect(cut).to.equal(0);
      servers[index] = await serve(port);
    }
    await more();
    isOver = true;
    await Promise.all(callers);
    expect(failures).to.deep.equal([]);
    expect(answers).to.be.at.least(7 * ANSWERS_PER_STEP);
    // None of those that went is held on to.
    await until(() => client.describe().channels.length === 1);
  });
});
