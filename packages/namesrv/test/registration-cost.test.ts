import { bodyCrc32, encodeRegisterBrokerBody, RequestCode } from '@rmqns/protocol';
import { type ExtFields, encodeFrame, RemotingCommand, SerializeType } from '@rmqns/remoting';
import { ManualClock } from '@rmqns/remoting/testing';
import { expect } from 'chai';
import { type Costs, CountedConnection } from './counted-costs.js';
import { broker, nameServerFixture, topics } from './name-server-fixture.js';

describe('what a registration of which only the time of sending is new costs the name server, counted', () => {
  const { start, cleanUps } = nameServerFixture();

  /** Of the same broker with so many topics, which has registered a few times before. */
  async function cost(count: number): Promise<Costs & { bodyBytes: number }> {
    const server = await start({}, new ManualClock());
    const connection = await CountedConnection.open(Number(server.address.split(':')[1]));
    cleanUps.push(async () => connection.close());
    const names = Array.from({ length: count }, (_, i) => `Topic-${i}`);
    const written = '"mappingDataVersion":{"counter":0,"stateVersion":0,"timestamp":0}';
    const text = encodeRegisterBrokerBody(topics(...names), { compressed: false, fiveX: true }).toString();
    expect(text).to.contain(written);
    const frame = (stamp: number): Buffer => {
      const body = Buffer.from(text.replace(written, written.replace('0}', `${1_700_000_000_000 + stamp}}`)));
      const extFields = { ...broker, compressed: 'false', bodyCrc32: String(bodyCrc32(body)) } as ExtFields;
      const header = { opaque: 7, version: 479, serializeType: SerializeType.JSON, extFields, body };
      return Buffer.concat(encodeFrame(RemotingCommand.request(RequestCode.REGISTER_BROKER, header)));
    };
    let length = 0;
    for (let stamp = 0; stamp < 4; stamp++) ({ length } = await connection.answer(frame(stamp), 1));
    const { costs } = await connection.exchange(frame(4), length);
    expect(server.counters).to.deep.equal({ registrationsRead: 1, registrationsUnchanged: 4 });
    return { ...costs, bodyBytes: text.length };
  }

  it('nothing parsed or encoded, no timer, one write, and texts for the header alone', async () => {
    const few = await cost(10);
    const many = await cost(1_000);
    for (const { parses, stringifies, timers, writes } of [few, many])
      expect({ parses, stringifies, timers, writes }).to.deep.equal({
        parses: 0,
        stringifies: 0,
        timers: 0,
        writes: 1,
      });
    expect({ texts: many.texts, promises: many.promises }).to.deep.equal({ texts: few.texts, promises: few.promises });
    expect(many.bodyBytes).to.be.above(150_000);
    // Each byte once, out of the memory that all sockets read into; besides, the header and the answer.
    expect(many.copiedBytes - many.bodyBytes).to.be.within(0, 1_536);
  });
});
