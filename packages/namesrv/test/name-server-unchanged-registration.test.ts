import { bodyCrc32, encodeRegisterBrokerBody, RequestCode } from '@rmqns/protocol';
import type { RemotingClient, RemotingCommand } from '@rmqns/remoting';
import { ManualClock } from '@rmqns/remoting/testing';
import { expect } from 'chai';
import type { NameServer } from '../src/name-server.js';
import { broker, nameServerFixture, topics } from './name-server-fixture.js';

describe('a name server, hearing the same registration again', () => {
  const { start, connect, ask, route, text } = nameServerFixture();

  /** The body of a broker of 5.x, sent at this time. */
  function body(stamp: number, names = ['T1', 'T2']): Buffer {
    const bytes = Buffer.from(encodeRegisterBrokerBody(topics(...names), { compressed: false, fiveX: true }));
    const written = '"mappingDataVersion":{"counter":0,"stateVersion":0,"timestamp":0}';
    expect(bytes.includes(written)).to.equal(true);
    return Buffer.from(bytes.toString().replace(written, written.replace('0}', `${stamp}}`)));
  }

  function send(
    client: RemotingClient,
    server: NameServer,
    bytes: Uint8Array,
    fields: Record<string, string> = {},
  ): Promise<RemotingCommand> {
    const header = { ...broker, compressed: 'false', bodyCrc32: String(bodyCrc32(bytes)), ...fields };
    return ask(client, server, RequestCode.REGISTER_BROKER, header, bytes);
  }

  for (const profile of ['4.7.1', '4.9.7', '5.3.3'] as const) {
    it(`as ${profile} does not read a body that differs in the time of sending only, and takes it for a heartbeat`, async () => {
      const clock = new ManualClock();
      const server = await start({ profile }, clock);
      const client = connect();
      for (let stamp = 1; stamp <= 5; stamp++) {
        expect((await send(client, server, body(stamp))).code).to.equal(0);
        clock.advance(100_000);
      }
      expect(server.counters).to.deep.equal({ registrationsRead: 1, registrationsUnchanged: 4 });
      expect((await route(client, server)).code).to.equal(0);
    });
  }

  it('reads it after a topic was deleted, which a 5.x broker that is heard brings back', async () => {
    const server = await start();
    const client = connect();
    await send(client, server, body(1));
    await ask(client, server, RequestCode.DELETE_TOPIC_IN_NAMESRV, { topic: 'T1' });
    expect((await route(client, server)).code).to.equal(17);
    await send(client, server, body(2));
    expect((await route(client, server)).code).to.equal(0);
    await send(client, server, body(3));
    expect(server.counters).to.deep.equal({ registrationsRead: 2, registrationsUnchanged: 1 });
  });

  it('reads it after the broker had left, and where the header says something else of it', async () => {
    const server = await start();
    const client = connect();
    await send(client, server, body(1));
    await ask(client, server, RequestCode.UNREGISTER_BROKER, broker);
    await send(client, server, body(2));
    expect((await route(client, server)).code).to.equal(0);
    await send(client, server, body(3), { brokerId: '1', enableActingMaster: 'true' });
    await send(client, server, body(4), { brokerAddr: '10.0.0.2:10911' });
    expect(server.counters).to.deep.equal({ registrationsRead: 4, registrationsUnchanged: 0 });
  });

  it('leaves a wiped write permission as it is, as Apache does', async () => {
    const server = await start();
    const client = connect();
    await send(client, server, body(1));
    await ask(client, server, RequestCode.WIPE_WRITE_PERM_OF_BROKER, { brokerName: 'broker-a' });
    for (let stamp = 2; stamp <= 4; stamp++) await send(client, server, body(stamp));
    expect(server.counters).to.deep.equal({ registrationsRead: 2, registrationsUnchanged: 2 });
    expect(text(await route(client, server))).to.contain('"perm":4');
  });

  it('checks the checksum of a body that it does not read', async () => {
    const server = await start();
    const client = connect();
    await send(client, server, body(1));
    const refused = await send(client, server, body(2), { bodyCrc32: '1' });
    expect(refused).to.include({ code: 1, remark: 'crc32 not match' });
    expect(server.counters).to.deep.equal({ registrationsRead: 1, registrationsUnchanged: 0 });
  });

  it('reads each body whose version has no time: it differs from every other', async () => {
    const server = await start();
    const client = connect();
    const timeless = Buffer.from(body(1).toString().replace('"timestamp":1000', '"counter":1'));
    for (let sent = 0; sent < 3; sent++) expect((await send(client, server, timeless)).code).to.equal(0);
    expect(server.counters).to.deep.equal({ registrationsRead: 3, registrationsUnchanged: 0 });
  });

  it('reads each body where topics that a broker no longer registers are deleted', async () => {
    const server = await start({ deleteTopicWithBrokerRegistration: true });
    const client = connect();
    for (let stamp = 1; stamp <= 3; stamp++) await send(client, server, body(stamp));
    expect(server.counters).to.deep.equal({ registrationsRead: 3, registrationsUnchanged: 0 });
  });

  it('answers others while it reads 10,000 topics, and what the broker itself asks only then', async () => {
    const server = await start();
    const client = connect();
    const other = connect();
    const names = Array.from({ length: 10_000 }, (_, index) => `T${index}`);
    let registered = false;
    let answered = 0;
    const registering = send(client, server, body(1, names)).then((response) => {
      registered = true;
      return response;
    });
    const own = route(client, server, 'T9999');
    while (!registered) {
      expect((await route(other, server, 'T9999')).code).to.be.oneOf([0, 17]);
      answered += 1;
    }
    expect((await registering).code).to.equal(0);
    expect((await own).code).to.equal(0);
    expect(answered).to.be.greaterThan(2);
    expect((await send(client, server, body(2, names))).code).to.equal(0);
    expect(server.counters).to.deep.equal({ registrationsRead: 1, registrationsUnchanged: 1 });
  });

  it('joins nothing of the pieces in which a large body comes again', async () => {
    const server = await start();
    const client = connect();
    const names = Array.from({ length: 3_000 }, (_, index) => `T${index}`);
    const bodies = [body(1, names), body(2, names)] as const;
    const { allocUnsafeSlow, concat } = Buffer;
    const joined: number[] = [];
    Buffer.allocUnsafeSlow = (byteLength) => {
      joined.push(byteLength);
      return allocUnsafeSlow(byteLength);
    };
    Buffer.concat = (list, length) => {
      const bytes = concat(list, length);
      joined.push(bytes.length);
      return bytes;
    };
    try {
      await send(client, server, bodies[0]);
      expect(Math.max(...joined)).to.be.greaterThan(300_000);
      joined.length = 0;
      await send(client, server, bodies[1]);
    } finally {
      Object.assign(Buffer, { allocUnsafeSlow, concat });
    }
    expect(server.counters).to.deep.equal({ registrationsRead: 1, registrationsUnchanged: 1 });
    // It comes in pages of 64 KiB, and leaves them again.
    expect(Math.max(...joined)).to.be.at.most(64 * 1024);
  });
});
