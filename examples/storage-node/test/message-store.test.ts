import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { CommandError } from '@rmqns/remoting';
import { ManualClock } from '@rmqns/remoting/testing';
import { expect } from 'chai';
import { hostBytes, type Message } from '../src/message.js';
import { MessageStore } from '../src/message-store.js';

const host = hostBytes('127.0.0.1:10911');

function message(body: string, properties = ''): Message {
  const sent = { flag: 0, sysFlag: 0, bornTimestamp: 1, bornHost: host, reconsumeTimes: 0 };
  return { ...sent, body: Buffer.from(body), properties: Buffer.from(properties) };
}

describe('the message store', () => {
  let clock: ManualClock;

  beforeEach(() => {
    clock = new ManualClock();
  });

  const storeOf = (maxBytes: number): MessageStore => new MessageStore([['Orders', 2]], maxBytes, clock);

  /** How many of these messages find room. */
  function fill(store: MessageStore, each: Message): number {
    const queue = store.queue('Orders', 0);
    try {
      for (;;) store.append(queue, [each], host);
    } catch (error) {
      expect(error).to.be.instanceOf(CommandError).with.property('responseCode', 14);
      return queue.maxOffset;
    }
  }

  it('counts what a message costs besides its own bytes, and its tag', () => {
    // 91 bytes, 6 of the topic, 500 of this program's.
    expect(fill(storeOf(597 * 100), message(''))).to.equal(100);
    expect(fill(storeOf(597 * 100 - 1), message(''))).to.equal(99);
    // 7 bytes of properties, 2 of the tag kept aside.
    expect(fill(storeOf(606 * 100), message('', 'TAGS\u0001a\u0002'))).to.equal(100);
    expect(fill(storeOf(606 * 100 - 1), message('', 'TAGS\u0001a\u0002'))).to.equal(99);
  });

  it('takes no more memory than it counts, with the smallest messages', () => {
    setFlagsFromString('--expose-gc');
    const collectGarbage = runInNewContext('gc') as () => void;
    const used = (): number => {
      collectGarbage();
      const { heapUsed, external } = process.memoryUsage();
      return heapUsed + external;
    };
    const store = storeOf(8 * 1024 * 1024);
    const small = message('', 'TAGS\u0001a tag long enough to be a part of the text');
    const before = used();
    expect(fill(store, small)).to.be.greaterThan(10_000);
    expect(used() - before).to.be.lessThan(8 * 1024 * 1024);
    expect(store.usedRatio).to.be.greaterThan(0.99);
  });

  it('stores all messages of a batch, or none', () => {
    const store = storeOf(597 * 2);
    expect(() => store.append(store.queue('Orders', 0), [message(''), message(''), message('')], host)).to.throw(
      CommandError,
      'the store is full: it keeps 1194 bytes in memory and drops nothing',
    );
    expect([store.messageCount, store.usedRatio, store.earliestStoreTimestamp]).to.deep.equal([0, 0, undefined]);
    expect(store.append(store.queue('Orders', 0), [message(''), message('')], host).queueOffset).to.equal(0);
    expect([store.messageCount, store.usedRatio]).to.deep.equal([2, 1]);
  });

  it('gives times of storing that never go back, when the clock of the machine does', () => {
    let wallMillis = 1000;
    const jumping = Object.assign(Object.create(clock), { now: () => wallMillis }) as ManualClock;
    const store = new MessageStore([['Orders', 2]], 10_000, jumping);
    for (const millis of [1000, 500, 2000]) {
      wallMillis = millis;
      store.append(store.queue('Orders', 0), [message('')], host);
    }
    const { messages } = store.queue('Orders', 0);
    expect(messages.map(({ storeTimestamp }) => storeTimestamp)).to.deep.equal([1000, 1000, 2000]);
    expect(store.earliestStoreTimestamp).to.equal(1000);
  });
});
