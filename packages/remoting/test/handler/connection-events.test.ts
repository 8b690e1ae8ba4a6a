import { expect } from 'chai';
import { EmbeddedChannel } from '../../src/channel/embedded-channel.js';
import { RemotingError } from '../../src/errors.js';
import { ConnectionEvents } from '../../src/handler/connection-events.js';
import { IdleStateHandler } from '../../src/handler/idle-state-handler.js';
import { ManualClock } from '../../src/manual-clock.js';

describe('ConnectionEvents', () => {
  it('tells of the connection and its end', () => {
    const log: unknown[] = [];
    const channel = new EmbeddedChannel({
      events: new ConnectionEvents((event, from, error) => log.push([event, from.remoteAddress, error])),
    });
    channel.finish();
    channel.destroy();
    expect(log).to.deep.equal([
      ['connect', 'embedded:1', undefined],
      ['close', 'embedded:1', undefined],
    ]);
  });

  it('tells of an idle connection and closes it', () => {
    const log: string[] = [];
    const clock = new ManualClock();
    const channel = new EmbeddedChannel({
      idle: new IdleStateHandler({ clock }),
      events: new ConnectionEvents((event) => log.push(event)),
    });
    clock.advance(120_000);
    expect(log).to.deep.equal(['connect', 'idle', 'close']);
    expect([channel.isActive, clock.pendingTimers]).to.deep.equal([false, 0]);
  });

  it('tells of an exception and closes the connection', async () => {
    const log: unknown[] = [];
    const error = new RemotingError('DECODE_FAILED', 'bad');
    const channel = new EmbeddedChannel({
      events: new ConnectionEvents((event, _channel, cause) => log.push([event, cause])),
    });
    channel.pipeline.fireExceptionCaught(error);
    // Its owner learns why it ended.
    expect(await channel.closed).to.equal(error);
    expect(log).to.deep.equal([
      ['connect', undefined],
      ['exception', error],
      ['close', undefined],
    ]);
    channel.checkException();
  });

  it('reports what the listener throws and goes on', () => {
    const channel = new EmbeddedChannel({
      events: new ConnectionEvents(() => {
        throw new Error('listener');
      }),
    });
    expect(() => channel.checkException()).to.throw('the connection listener failed in connect: listener');
    expect(channel.isActive).to.equal(true);
  });
});
