import { expect } from 'chai';
import { RemotingCommand } from '../../src/command/remoting-command.js';
import { silentLogger } from '../../src/logger.js';
import { createPair } from '../../src/testing.js';

describe('Callbacks whose answers come in one read', () => {
  it('all run, though one throws and one rejects, and each of these is logged once (W10)', async () => {
    const logged: string[] = [];
    const error = (fields: object): void => void logged.push(String((fields as { err: Error }).err.message));
    await using pair = createPair({ client: { logger: { ...silentLogger, error } } });
    pair.server.registerDefaultProcessor({ processRequest: () => RemotingCommand.response(0) });
    await pair.client.connect(pair.address);
    const ran: number[] = [];
    await new Promise<void>((resolve) => {
      for (let i = 0; i < 64; i++) {
        pair.client.invokeAsync(pair.address, RemotingCommand.request(1), 3_000, (failed) => {
          if (failed === undefined) ran.push(i);
          if (ran.length === 64) setImmediate(resolve);
          if (i === 10) throw new Error('thrown');
          return i === 20 ? Promise.reject(new Error('rejected')) : undefined;
        });
      }
    });
    expect(ran).to.deep.equal(Array.from({ length: 64 }, (_, i) => i));
    expect(logged).to.deep.equal(['thrown', 'rejected']);
    expect(pair.client.describe().permits.async.free).to.equal(65_535);
  });
});
