import { expect } from 'chai';
import { RemotingClient } from '../src/client/remoting-client.js';
import { defineCommand } from '../src/command/define-command.js';
import { t } from '../src/command/header-field.js';
import { RemotingCommand } from '../src/command/remoting-command.js';
import { readDebugEnvironment } from '../src/debug-environment.js';
import { RemotingServer } from '../src/server/remoting-server.js';

const Greet = defineCommand({ code: 9001, name: 'GREET', request: { name: t.string() } });

describe('RMQNS_DEBUG', () => {
  it('is a list of words', () => {
    expect(readDebugEnvironment({})).to.equal(undefined);
    expect(readDebugEnvironment({ RMQNS_DEBUG: '' })).to.equal(undefined);
    const frames = { frames: true, values: false, bodies: false };
    expect(readDebugEnvironment({ RMQNS_DEBUG: 'frames' })).to.deep.equal(frames);
    expect(readDebugEnvironment({ RMQNS_DEBUG: 'other, frames,values' })).to.deep.equal({ ...frames, values: true });
  });

  it('with `frames` shows the frames of every connection on stderr, without their values', async () => {
    const lines: string[] = [];
    const { write } = process.stderr;
    const before = process.env['RMQNS_DEBUG'];
    process.env['RMQNS_DEBUG'] = 'frames';
    process.stderr.write = ((text: string) => lines.push(text) > 0) as typeof write;
    try {
      await using server = new RemotingServer();
      await server.start();
      await using client = new RemotingClient();
      server.handle(Greet, () => {});
      await client.call(server.address, Greet, { name: 'hunter2' });
      await client.invokeSync(server.address, RemotingCommand.request(7));
      await client.close();
    } finally {
      process.stderr.write = write;
      if (before === undefined) delete process.env['RMQNS_DEBUG'];
      else process.env['RMQNS_DEBUG'] = before;
    }
    const shown = lines.map((line) => line.replace(/127\.0\.0\.1:\d+/, 'PEER'));
    expect(shown).to.have.length(8);
    expect(shown[0]).to.match(/^rmqns > PEER request 9001 GREET opaque=0 .* ext=\[name\] body=0 frame=\d+\n$/);
    expect(shown[1]).to.equal(shown[0]?.replace('>', '<'));
    expect(shown[3]).to.match(/^rmqns < PEER response 0 SUCCESS opaque=0 /);
    expect(shown[4]).to.match(/^rmqns > PEER request 7 opaque=1 /);
    expect(shown[7]).to.match(/^rmqns < PEER response 3 REQUEST_CODE_NOT_SUPPORTED opaque=1 /);
  });
});
