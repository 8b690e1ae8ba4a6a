import { RequestCode } from '@rmqns/protocol';
import { type ExtFields, encodeFrame, RemotingCommand, SerializeType } from '@rmqns/remoting';
import { ManualClock } from '@rmqns/remoting/testing';
import { expect } from 'chai';
import { CountedConnection } from './counted-costs.js';
import { nameServerFixture, topics } from './name-server-fixture.js';

const TOPICS = Array.from({ length: 8 }, (_, i) => `Topic-${i}`);
/** Enough for V8 and for whatever is kept of the words of a request. */
const BEFORE = 4;

describe('what route lookups that come together cost the name server, counted', () => {
  const { start, connect, register, cleanUps } = nameServerFixture();

  async function open(brokers: number): Promise<CountedConnection> {
    // Time that stands still: on a busy machine answers leave in two writes where a turn's share of it is over.
    const server = await start({}, new ManualClock());
    const client = connect();
    for (let i = 0; i < brokers; i++) {
      const names = { brokerName: `broker-${i}`, brokerAddr: `10.0.0.${i}:10911` };
      await register(client, server, names, topics(...TOPICS));
    }
    const connection = await CountedConnection.open(Number(server.address.split(':')[1]));
    cleanUps.push(async () => connection.close());
    return connection;
  }

  async function cost(connection: CountedConnection, count: number, serializeType: SerializeType = SerializeType.JSON) {
    let length = 0;
    for (let i = 0; i < BEFORE; i++) ({ length } = await connection.answer(lookups(count, serializeType), count));
    const request = lookups(count, serializeType);
    const { costs, answer } = await connection.exchange(request, length);
    expect(answer.length).to.equal(length);
    return { ...costs, requestBytes: request.length, answerBytes: length };
  }

  for (const [name, serializeType, texts] of [
    ['JSON', SerializeType.JSON, 0],
    ['ROCKETMQ', SerializeType.ROCKETMQ, 4],
  ] as const) {
    it(`one write, no timer, nothing parsed or encoded, few texts or none, and no more promises for 64 than for 8 (${name})`, async () => {
      const connection = await open(1);
      const few = await cost(connection, 8, serializeType);
      const many = await cost(connection, 64, serializeType);
      for (const { parses, stringifies, timers, writes } of [few, many])
        expect({ parses, stringifies, timers, writes }).to.deep.equal({
          parses: 0,
          stringifies: 0,
          timers: 0,
          writes: 1,
        });
      expect(many.promises).to.equal(few.promises);
      expect(many.texts).to.be.at.most(64 * texts);
      // No byte is copied twice: of a request out of the memory that all sockets read into, of an answer on its way out.
      expect(many.copiedBytes).to.be.at.most(many.requestBytes + many.answerBytes);
    });
  }

  it('no copy of a long route', async () => {
    const connection = await open(64);
    const { copiedBytes, requestBytes, answerBytes, parses, stringifies } = await cost(connection, 8);
    expect(answerBytes).to.be.above(8 * 10_000);
    expect(copiedBytes - requestBytes).to.be.at.most(8 * 256);
    expect({ parses, stringifies }).to.deep.equal({ parses: 0, stringifies: 0 });
  });
});

function lookups(count: number, serializeType: SerializeType): Buffer {
  const frames = Array.from({ length: count }, (_, i) => {
    const extFields = { topic: TOPICS[i % TOPICS.length] } as ExtFields;
    const header = { opaque: 1_000 + i, version: 479, serializeType, extFields };
    return encodeFrame(RemotingCommand.request(RequestCode.GET_ROUTEINFO_BY_TOPIC, header));
  });
  return Buffer.concat(frames.flat());
}
