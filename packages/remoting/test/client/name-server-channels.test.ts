import { expect } from 'chai';
import type { Channel } from '../../src/channel/channel.js';
import { AddressSelector } from '../../src/client/address-selector.js';
import { ChannelTable } from '../../src/client/channel-table.js';
import { NameServerChannels } from '../../src/client/name-server-channels.js';
import type { RemotingError } from '../../src/errors.js';
import { EmbeddedChannel, ManualClock } from '../../src/testing.js';

describe('NameServerChannels', () => {
  /** `up` answers a dial at once, `down` refuses it, any other address never ends it. */
  function setUp(addresses: string[]): { channels: NameServerChannels; clock: ManualClock; dialled: string[] } {
    const clock = new ManualClock();
    const dialled: string[] = [];
    const table = new ChannelTable(
      (address, opened) => {
        dialled.push(address);
        if (address.startsWith('down')) return Promise.reject(new Error('refused'));
        if (!address.startsWith('up')) return new Promise<Channel>(() => {});
        const channel = new EmbeddedChannel();
        opened(channel);
        return Promise.resolve(channel);
      },
      { clock, initialMillis: 1_000, maxMillis: 10_000, multiplier: 2, jitter: 0 },
    );
    const channels = new NameServerChannels(table, clock, new AddressSelector(() => 0.999));
    channels.update(addresses);
    return { channels, clock, dialled };
  }

  it('falls over to the next server that connects, and stays with it', async () => {
    const { channels, clock, dialled } = setUp(['down:1', 'down:2', 'up:3']);
    const channel = await channels.connect(3_000, () => true);
    expect([channels.active(), dialled]).to.deep.equal([channel, ['down:1', 'down:2', 'up:3']]);
    expect(await channels.connect(3_000, () => true)).to.equal(channel);
    expect([dialled.length, clock.pendingTimers]).to.deep.equal([3, 0]);
  });

  it('gives no server more than its share of the time', async () => {
    const { channels, clock } = setUp(['silent:1', 'up:2']);
    const connected = channels.connect(3_000, () => true);
    await clock.advanceAsync(1_499);
    expect(channels.active()).to.equal(undefined);
    await clock.advanceAsync(1);
    expect(await connected).to.equal(channels.active());
  });

  it('stops when nobody waits any more', async () => {
    const { channels, dialled } = setUp(['down:1', 'down:2']);
    let wanted = true;
    const failed = channels.connect(3_000, () => wanted).catch((error: RemotingError) => error.code);
    wanted = false;
    expect([await failed, dialled]).to.deep.equal(['CONNECT_FAILED', ['down:1']]);
  });

  it('names all that were tried', async () => {
    const { channels } = setUp(['down:1', 'down:2']);
    const error = await channels.connect(3_000, () => true).catch((caught: RemotingError) => caught);
    expect(error).to.deep.include({
      code: 'CONNECT_FAILED',
      message: 'connect to [down:1, down:2] failed, the last because: refused',
    });
  });

  it('goes on to the next one after a call that failed over its connection', async () => {
    const { channels } = setUp(['up:1', 'up:2']);
    const first = await channels.connect(3_000, () => true);
    channels.failed(first);
    expect(channels.active()).to.equal(undefined);
    expect(await channels.connect(3_000, () => true)).to.not.equal(first);
  });
});
