import { expect } from 'chai';
import { RemotingCommand } from '../../src/command/remoting-command.js';
import { ONEWAY, request, setUp } from './remoting-core-fixture.js';

describe('the answers to what one read brought', () => {
  function counting(): ReturnType<typeof setUp> & { flushes: () => number } {
    const made = setUp();
    let flushes = 0;
    Object.assign(made.channel, { flushNow: () => flushes++ });
    return { ...made, flushes: () => flushes };
  }

  it('leave with its end when all are there', () => {
    const { core, channel, flushes } = counting();
    core.requests.processorTable.register(1, { processRequest: () => RemotingCommand.response(0) });
    channel.writeInbound(request(1, 1), request(1, 2), request(1, 3, ONEWAY));
    expect(flushes()).to.equal(1);
  });

  it('wait for the turn to end while one is under way, so that promise jobs share their system call', async () => {
    const { core, channel, flushes } = counting();
    core.requests.processorTable.register(1, { processRequest: () => RemotingCommand.response(0) });
    core.requests.processorTable.register(2, { processRequest: async () => RemotingCommand.response(0) });
    channel.writeInbound(request(1, 1), request(2, 2));
    expect(flushes()).to.equal(0);
    await core.requests.whenIdle();
    channel.writeInbound(request(1, 3));
    expect(flushes()).to.equal(1);
  });
});
