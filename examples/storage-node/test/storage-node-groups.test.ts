import { RemotingClient, type RemotingCommand, type RequestContext } from '@rmqns/remoting';
import { expect } from 'chai';
import {
  GetConsumerListByGroup,
  GetMinOffset,
  HeartBeat,
  LockBatchMq,
  NotifyConsumerIdsChanged,
  QueryConsumerOffset,
  SearchOffsetByTimestamp,
  UnlockBatchMq,
  UnregisterClient,
  UpdateConsumerOffset,
} from '../src/commands.js';
import { refusal, StorageNodeHome } from './storage-node-home.js';

describe('a storage node', () => {
  let home: StorageNodeHome;
  beforeEach(async () => {
    home = await StorageNodeHome.start();
  });
  afterEach(() => home[Symbol.asyncDispose]());

  describe('that keeps positions', () => {
    const queue = { consumerGroup: 'g', topic: 'Orders', queueId: 1 };

    it('answers 22 to a group that has none, and later what was last committed, lower or not', async () => {
      expect((await refusal(home.client.call(home.node.brokerAddr, QueryConsumerOffset, queue))).code).to.equal(22);
      for (const commitOffset of [7, 3]) {
        await home.client.oneway(home.node.brokerAddr, UpdateConsumerOffset, { ...queue, commitOffset });
        const { offset } = (await home.client.call(home.node.brokerAddr, QueryConsumerOffset, queue)).header;
        expect(offset).to.equal(commitOffset);
      }
    });

    it('keeps none for a name of more than 255 characters', async () => {
      const long = { ...queue, consumerGroup: 'g'.repeat(256), commitOffset: 1 };
      expect(await refusal(home.client.call(home.node.brokerAddr, UpdateConsumerOffset, long))).to.deep.equal({
        code: 1,
        remark: 'a name has 256 characters; 255 are allowed',
      });
    });

    it('finds the ends of a queue, and places by time', async () => {
      await home.send('one', { queueId: 1 });
      home.clock.advance(1000);
      await home.send('two', { queueId: 1 });
      const place = { topic: 'Orders', queueId: 1 };
      const search = async (timestamp: number) =>
        (await home.client.call(home.node.brokerAddr, SearchOffsetByTimestamp, { ...place, timestamp })).header.offset;
      expect((await home.client.call(home.node.brokerAddr, GetMinOffset, place)).header.offset).to.equal(0);
      expect(await home.maxOffset(1)).to.equal(2);
      expect([await search(0), await search(home.clock.now()), await search(home.clock.now() + 1)]).to.deep.equal([
        0, 1, 2,
      ]);
    });
  });

  describe('whose clients form groups', () => {
    /** A client with the oneway notices it got. */
    function consumer(): { client: RemotingClient; notices: string[]; nextNotice: () => Promise<void> } {
      const notices: string[] = [];
      let notify = (): void => {};
      const own = new RemotingClient();
      own.registerProcessor(NotifyConsumerIdsChanged.code, {
        processRequest(_ctx: RequestContext, request: RemotingCommand) {
          expect(request.isOneway).to.equal(true);
          notices.push(request.extFields?.['consumerGroup'] ?? '');
          notify();
          return undefined;
        },
      });
      return { client: own, notices, nextNotice: () => new Promise((resolve) => (notify = resolve)) };
    }

    function beat(from: RemotingClient, clientID: string, groupName = 'g') {
      const body = { clientID, consumerDataSet: [{ groupName }] };
      return from.call(home.node.brokerAddr, HeartBeat, {}, { body });
    }

    async function members() {
      return (await home.client.call(home.node.brokerAddr, GetConsumerListByGroup, { consumerGroup: 'g' })).body
        .consumerIdList;
    }

    it('lists the members and tells them of one that comes, and of one whose connection is lost', async () => {
      const one = consumer();
      const two = consumer();
      try {
        expect(await refusal(members())).to.deep.equal({ code: 1, remark: 'no consumer for this group, g' });
        await beat(one.client, 'one');
        const joined = one.nextNotice();
        await beat(two.client, 'two');
        await joined;
        expect(await members()).to.deep.equal(['one', 'two']);
        const left = one.nextNotice();
        await two.client.destroy();
        await left;
        expect(await members()).to.deep.equal(['one']);
        expect(one.notices).to.deep.equal(['g', 'g', 'g']);
      } finally {
        await one.client.destroy();
        await two.client.destroy();
      }
    });

    it('tells every one of 300 members that one has left', async () => {
      const one = consumer();
      try {
        for (let i = 0; i < 300; i++) await beat(one.client, `member ${i}`, `group ${i}`);
        const told = one.notices.length;
        const two = new RemotingClient();
        const consumerDataSet = Array.from({ length: 300 }, (_, i) => ({ groupName: `group ${i}` }));
        await two.call(home.node.brokerAddr, HeartBeat, {}, { body: { clientID: 'in all', consumerDataSet } });
        while (one.notices.length < told + 300) await one.nextNotice();
        await two.destroy();
        while (one.notices.length < told + 600) await one.nextNotice();
        expect(new Set(one.notices.slice(-300)).size).to.equal(300);
      } finally {
        await one.client.destroy();
      }
    });

    it('takes no name of more than 255 characters', async () => {
      const long = 'x'.repeat(256);
      const remark = 'a name has 256 characters; 255 are allowed';
      expect(await refusal(beat(home.client, long))).to.deep.equal({ code: 1, remark });
      for (const [consumerGroup, clientId] of [
        [long, 'one'],
        ['g', long],
      ] as const) {
        const mqSet = [{ topic: 'Orders', brokerName: 'b', queueId: 0 }];
        const locking = home.client.call(
          home.node.brokerAddr,
          LockBatchMq,
          {},
          { body: { consumerGroup, clientId, mqSet } },
        );
        expect(await refusal(locking)).to.deep.equal({ code: 1, remark });
      }
    });

    it('removes a client that unregisters', async () => {
      await beat(home.client, 'one');
      await home.client.call(home.node.brokerAddr, UnregisterClient, { clientID: 'one', consumerGroup: 'g' });
      expect((await refusal(members())).code).to.equal(1);
    });

    it('removes a client that is connected but sends no heartbeat for 120 s', async () => {
      await beat(home.client, 'silent');
      home.clock.advance(60_000);
      expect(await members()).to.deep.equal(['silent']);
      home.clock.advance(60_000);
      expect((await refusal(members())).code).to.equal(1);
    });

    it('grants queues to one client at a time, none that are not there', async () => {
      const mq = (queueId: number) => ({ topic: 'Orders', brokerName: 'storage-node', queueId });
      const lock = async (clientId: string, ...queueIds: number[]) => {
        const body = { consumerGroup: 'g', clientId, mqSet: queueIds.map(mq) };
        return (await home.client.call(home.node.brokerAddr, LockBatchMq, {}, { body })).body.lockOKMQSet;
      };
      expect(await lock('one', 0, 1, 9)).to.deep.equal([mq(0), mq(1)]);
      expect(await lock('two', 1, 2)).to.deep.equal([mq(2)]);
      const body = { consumerGroup: 'g', clientId: 'one', mqSet: [mq(1)] };
      await home.client.call(home.node.brokerAddr, UnlockBatchMq, {}, { body });
      expect(await lock('two', 0, 1)).to.deep.equal([mq(1)]);
      home.clock.advance(60_000);
      expect(await lock('two', 0)).to.deep.equal([mq(0)]);
    });
  });
});
