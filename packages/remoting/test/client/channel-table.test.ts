import { expect } from 'chai';
import type { Channel } from '../../src/channel/channel.js';
import { ChannelTable } from '../../src/client/channel-table.js';
import { EmbeddedChannel, ManualClock } from '../../src/testing.js';

describe('ChannelTable', () => {
  function setUp(): {
    table: ChannelTable;
    clock: ManualClock;
    dials: { address: string; open: () => EmbeddedChannel; fail: () => void }[];
  } {
    const dials: ReturnType<typeof setUp>['dials'] = [];
    const clock = new ManualClock();
    const table = new ChannelTable(
      (address, opened) =>
        new Promise<Channel>((resolve, reject) => {
          dials.push({
            address,
            open: () => {
              const channel = new EmbeddedChannel();
              opened(channel);
              resolve(channel);
              return channel;
            },
            fail: () => reject(new Error('no')),
          });
        }),
      { clock, initialMillis: 1_000, maxMillis: 10_000, multiplier: 2, jitter: 0 },
    );
    return { table, dials, clock };
  }

  it('dials once for many callers, and knows the connection from its opening on', async () => {
    const { table, dials } = setUp();
    const asked = [table.getOrCreate('a:1'), table.getOrCreate('a:1')];
    const channel = dials[0]?.open();
    expect(table.active('a:1')).to.equal(channel);
    expect(await Promise.all(asked)).to.deep.equal([channel, channel]);
    expect([dials.length, table.dials().length, table.addressOf(channel as Channel)]).to.deep.equal([1, 0, 'a:1']);
  });

  it('dials again after a failure, and after the connection closed', async () => {
    const { table, dials } = setUp();
    const failed = table.getOrCreate('a:1').catch((error: Error) => error.message);
    dials[0]?.fail();
    expect(await failed).to.equal('no');
    const first = table.getOrCreate('a:1');
    dials[1]?.open().destroy();
    await first;
    expect(table.active('a:1')).to.equal(undefined);
    void table.getOrCreate('a:1');
    expect(dials).to.have.length(3);
  });

  it('forgets a connection only while no other took its place', async () => {
    const { table, dials } = setUp();
    void table.getOrCreate('a:1');
    const old = dials[0]?.open() as EmbeddedChannel;
    table.remove(old);
    void table.getOrCreate('a:1');
    const young = dials[1]?.open();
    table.remove(old);
    old.destroy();
    await old.closed;
    expect(table.active('a:1')).to.equal(young);
  });
});
