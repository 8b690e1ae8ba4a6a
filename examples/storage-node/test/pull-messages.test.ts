import { expect } from 'chai';
import { MessageQueue } from '../src/message-store.js';
import { type Pull, pullMessages, tagFilter } from '../src/pull-messages.js';

const MESSAGE_BYTES = 1100;

/** A queue with a message for each tag; '' is a message without tag. */
function queueOf(...tags: readonly string[]): MessageQueue {
  const queue = new MessageQueue('Orders', 0);
  tags.forEach((tag, i) => {
    queue.messages.push({ bytes: Buffer.alloc(MESSAGE_BYTES), tag, storeTimestamp: 100 + i });
  });
  return queue;
}

const all: Pull = { queueOffset: 0, maxMsgNums: 32, maxBytes: 256 * 1024, isWanted: tagFilter('*') };

describe('a pull', () => {
  const table: readonly [string, MessageQueue, Partial<Pull>, { code: number; next: number; count: number }][] = [
    ['of all gets all', queueOf('a', 'b'), {}, { code: 0, next: 2, count: 2 }],
    ['below the first offset is moved to it', queueOf('a'), { queueOffset: -1 }, { code: 21, next: 0, count: 0 }],
    ['one past the end is moved to the end', queueOf('a'), { queueOffset: 2 }, { code: 21, next: 1, count: 0 }],
    ['far past the end likewise', queueOf('a'), { queueOffset: 2n ** 62n }, { code: 21, next: 1, count: 0 }],
    ['beyond 0 of an empty queue is moved to 0', queueOf(), { queueOffset: 7 }, { code: 21, next: 0, count: 0 }],
    ['at the end finds nothing', queueOf('a'), { queueOffset: 1 }, { code: 19, next: 1, count: 0 }],
    ['of an empty queue finds nothing', queueOf(), {}, { code: 19, next: 0, count: 0 }],
    ['begins where it says', queueOf('a', 'b', 'c'), { queueOffset: 1 }, { code: 0, next: 3, count: 2 }],
    ['stops at its number of messages', queueOf('a', 'b', 'c'), { maxMsgNums: 2 }, { code: 0, next: 2, count: 2 }],
    ['gets one when it asks for none', queueOf('a', 'b'), { maxMsgNums: 0 }, { code: 0, next: 1, count: 1 }],
    ['gets the first whatever its size', queueOf('a', 'b'), { maxBytes: 10 }, { code: 0, next: 1, count: 1 }],
    ['stops before it is too large', queueOf('a', 'b', 'c'), { maxBytes: 2500 }, { code: 0, next: 2, count: 2 }],
    [
      'by tag passes over the others, those after its last too',
      queueOf('a', 'b', 'a', 'b', ''),
      { isWanted: tagFilter('a || x') },
      { code: 0, next: 5, count: 2 },
    ],
    [
      'by a tag that nothing has moves on to the end',
      queueOf('a', '', 'b'),
      { isWanted: tagFilter('x') },
      { code: 20, next: 3, count: 0 },
    ],
    ['by * gets those without tag too', queueOf('a', ''), { isWanted: tagFilter('*') }, { code: 0, next: 2, count: 2 }],
    ['by an empty text too', queueOf('a', ''), { isWanted: tagFilter(' ') }, { code: 0, next: 2, count: 2 }],
  ];
  for (const [title, queue, pull, expected] of table) {
    it(title, () => {
      const { code, nextBeginOffset, messages } = pullMessages(queue, { ...all, ...pull });
      expect({ code, next: nextBeginOffset, count: messages.length }).to.deep.equal(expected);
    });
  }

  it('passes over 10,000 unwanted messages at a time', () => {
    const queue = new MessageQueue('Orders', 0);
    for (let i = 0; i < 10_001; i++) queue.messages.push({ bytes: Buffer.alloc(0), tag: '', storeTimestamp: 0 });
    const first = pullMessages(queue, { ...all, isWanted: () => false });
    expect(first).to.deep.equal({ code: 20, nextBeginOffset: 10_000, messages: [] });
  });
});

describe('a search by time', () => {
  it('finds the first message stored then or later, else the end', () => {
    const queue = queueOf('a', 'b', 'c');
    expect([0, 100, 101, 102, 103].map((time) => queue.searchOffset(time))).to.deep.equal([0, 0, 1, 2, 3]);
    expect(queueOf().searchOffset(5)).to.equal(0);
  });
});
