import { encodeHeader, RemotingClient, RemotingCommand } from '@rmqns/remoting';
import type { HeaderInput } from '@rmqns/remoting/command';
import { expect } from 'chai';
import { PullMessage, QueryConsumerOffset } from '../src/commands.js';
import { bodyOf, pullHeader, refusal, StorageNodeHome, SUSPEND } from './storage-node-home.js';

describe('a storage node that is pulled from', () => {
  let home: StorageNodeHome;
  beforeEach(async () => {
    home = await StorageNodeHome.start();
  });
  afterEach(() => home[Symbol.asyncDispose]());

  it('holds a pull at the end until a message comes to that queue', async () => {
    const held = home.pull({ sysFlag: SUSPEND });
    await home.untilHeld(1);
    await home.send('elsewhere', { queueId: 1 });
    expect(home.node.heldPullCount).to.equal(1);
    await home.send('here');
    const { code, nextBeginOffset, messages } = await held;
    expect([code, nextBeginOffset, messages.map(bodyOf)]).to.deep.equal([0, 1, ['here']]);
  });

  it('answers 19 after the time that the consumer gave, 25 s at most', async () => {
    const short = home.pull({ sysFlag: SUSPEND });
    const long = home.pull({ sysFlag: SUSPEND, suspendTimeoutMillis: 60_000 });
    await home.untilHeld(2);
    home.clock.advance(14_999);
    expect(home.node.heldPullCount).to.equal(2);
    home.clock.advance(1);
    expect((await short).code).to.equal(19);
    home.clock.advance(9_999);
    expect(home.node.heldPullCount).to.equal(1);
    home.clock.advance(1);
    expect(await long).to.deep.equal({ code: 19, nextBeginOffset: 0, minOffset: 0, maxOffset: 0, messages: [] });
  });

  it('moves a held pull on when the message is not for it', async () => {
    const held = home.pull({ sysFlag: SUSPEND | 4, subscription: 'a || b' });
    await home.untilHeld(1);
    await home.send('x', { properties: 'TAGS\u0001c' });
    expect(await held).to.deep.equal({ code: 20, nextBeginOffset: 1, minOffset: 0, maxOffset: 1, messages: [] });
  });

  it('answers 19 at once when it may not hold, and 21 beyond the end', async () => {
    expect((await home.pull()).code).to.equal(19);
    expect(await home.pull({ queueOffset: 3, sysFlag: SUSPEND })).to.deep.include({ code: 21, nextBeginOffset: 0 });
  });

  it('answers other requests of a connection while its pull is held', async () => {
    const held = home.pull({ sysFlag: SUSPEND });
    await home.untilHeld(1);
    expect(await home.maxOffset()).to.equal(0);
    await home.send('now');
    await held;
  });

  it('forgets the held pulls of a connection that ends', async () => {
    const other = new RemotingClient();
    const held = home.pull({ sysFlag: SUSPEND }, other).catch(() => 'failed');
    await home.untilHeld(1);
    await other.destroy();
    expect(await held).to.equal('failed');
    await home.untilHeld(0);
  });

  it('keeps the offset that a pull brings along', async () => {
    await home.pull({ sysFlag: 1, commitOffset: 0 });
    const queue = { consumerGroup: 'g', topic: 'Orders', queueId: 0 };
    expect((await home.client.call(home.node.brokerAddr, QueryConsumerOffset, queue)).header.offset).to.equal(0);
  });

  it('hands out up to 256 KiB at once, or what the client takes if that is less', async () => {
    for (let i = 0; i < 3; i++) await home.send('x'.repeat(100 * 1024));
    const count = async (maxMsgBytes?: number) => (await home.pull({ maxMsgBytes })).messages.length;
    expect([await count(), await count(2 ** 31 - 1), await count(150 * 1024), await count(1)]).to.deep.equal([
      2, 2, 1, 1,
    ]);
  });

  it('does not keep a negative offset that a pull brings along, and answers the pull', async () => {
    expect((await home.pull({ sysFlag: 1, commitOffset: -1 })).code).to.equal(19);
    const queue = { consumerGroup: 'g', topic: 'Orders', queueId: 0 };
    expect((await refusal(home.client.call(home.node.brokerAddr, QueryConsumerOffset, queue))).code).to.equal(22);
  });

  it('refuses an unknown topic with 17, a queue outside it with 1, SQL and a long name with 1', async () => {
    const refused = async (header: Partial<HeaderInput<typeof PullMessage.request>>) => {
      const extFields = encodeHeader(PullMessage.request, { ...pullHeader, ...header });
      return (
        await home.client.invokeSync(home.node.brokerAddr, RemotingCommand.request(PullMessage.code, { extFields }))
      ).code;
    };
    expect(await refused({ topic: 'Unknown' })).to.equal(17);
    expect(await refused({ queueId: 4 })).to.equal(1);
    expect(await refused({ sysFlag: 4, subscription: 'a > 1', expressionType: 'SQL92' })).to.equal(1);
    expect(await refused({ sysFlag: 1, consumerGroup: 'g'.repeat(256) })).to.equal(1);
  });
});
