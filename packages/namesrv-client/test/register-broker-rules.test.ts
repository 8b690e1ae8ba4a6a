import { deflateSync, inflateSync } from 'node:zlib';
import { createNameServer } from '@rmqns/namesrv';
import { bodyCrc32, encodeRegisterBrokerBody, MqVersion, RegisterBroker } from '@rmqns/protocol';
import { CommandError, encodeHeader, RemotingCommand } from '@rmqns/remoting';
import { expect } from 'chai';
import { NameServerClient } from '../src/name-server-client.js';
import { RegisterBrokerRequest } from '../src/register-broker-request.js';
import { identity, topicConfig, topicTable } from './broker-fixture.js';

/** Why the registrar does as it does: what name servers make of registrations that are not so careful. */
describe('a name server', () => {
  const cleanUps: (() => Promise<unknown>)[] = [];
  afterEach(async () => {
    for (const cleanUp of cleanUps.splice(0).reverse()) await cleanUp();
  });

  async function start(profile: '4.7.1' | '5.3.3') {
    const server = createNameServer({ bindAddress: '127.0.0.1', listenPort: 0, profile });
    await server.start();
    const client = new NameServerClient();
    cleanUps.push(
      () => server.close(),
      () => client.close(),
    );
    const { address } = server;
    return {
      address,
      client,
      register: (...table: Parameters<typeof topicTable>) =>
        client.registerBroker(
          address,
          new RegisterBrokerRequest({ identity, topicConfigSerializeWrapper: topicTable(...table) }),
        ),
      route: (topic: string) => client.getRouteInfoByTopic(address, topic),
    };
  }

  it('of 4.x ignores a whole table whose version came with a single topic before (R39)', async () => {
    const { register, route } = await start('4.7.1');
    await register(3, 'T1');
    await register(3, 'T1', 'T2');
    expect(await route('T2')).to.equal(undefined);
    await register(4, 'T1', 'T2');
    expect(await route('T2')).to.be.an('object');
  });

  it('of 5.x refuses exactly one topic of a broker that it does not know (R22)', async () => {
    const { register } = await start('5.3.3');
    try {
      await register(3, 'T1');
      expect.fail('it was taken');
    } catch (error) {
      expect(error)
        .to.be.instanceOf(CommandError)
        .and.to.include({ responseCode: 1, remark: 'register broker failed' });
    }
    await register(2);
    await register(3, 'T1');
  });

  it('reads a compressed body of either layout by the request’s version, and refuses one of 5.x without its last section (R20, R21)', async () => {
    const table = { topicConfigSerializeWrapper: topicTable(3, 'T1', 'T2'), filterServerList: [] };
    const send = async (profile: '4.7.1' | '5.3.3', version: number, body: Uint8Array) => {
      const { address, client } = await start(profile);
      const extFields = encodeHeader(RegisterBroker.request, { ...identity, compressed: true, bodyCrc32: 0 });
      const request = RemotingCommand.request(RegisterBroker.code, { extFields, body, version });
      return await client.remotingClient.invokeSync(address, request);
    };
    const fiveFields = encodeRegisterBrokerBody(table, { compressed: true, fiveX: false });
    const sixFields = encodeRegisterBrokerBody(table, { compressed: true, fiveX: true });
    // The number of static topics, none.
    const withoutSection = deflateSync(inflateSync(sixFields).subarray(0, -4), { level: 9 });
    expect((await send('4.7.1', MqVersion.V4_9_7, fiveFields)).code).to.equal(0);
    expect((await send('5.3.3', MqVersion.V4_9_7, fiveFields)).code).to.equal(0);
    expect((await send('5.3.3', MqVersion.V5_3_3, sixFields)).code).to.equal(0);
    for (const body of [fiveFields, withoutSection])
      expect(await send('5.3.3', MqVersion.V5_3_3, body)).to.deep.include({
        code: 1,
        remark: 'the compressed body is cut short: it ends before the number of queue mappings',
      });
  });

  for (const profile of ['4.7.1', '5.3.3'] as const)
    it(`of ${profile} takes no registration without brokerId (R34)`, async () => {
      const { address, client } = await start(profile);
      const { brokerId, ...others } = encodeHeader(RegisterBroker.request, { ...identity, bodyCrc32: 0 }) ?? {};
      expect(brokerId).to.equal('0');
      const request = RemotingCommand.request(RegisterBroker.code, { extFields: others });
      const answer = await client.remotingClient.invokeSync(address, request);
      // Apache's say java.lang.NullPointerException for it.
      expect(answer).to.deep.include({ code: 1, remark: 'the custom field <brokerId> is null' });
    });

  it('ignores a permission that changed without the version (R40)', async () => {
    const { register, route } = await start('5.3.3');
    await register(3, 'T1', 'T2');
    await register(3, topicConfig('T1', 4), 'T2');
    expect((await route('T1'))?.queueDatas[0]?.perm).to.equal(6);
    await register(4, topicConfig('T1', 4), 'T2');
    expect((await route('T1'))?.queueDatas[0]?.perm).to.equal(4);
  });

  it('lets a broker leave over another connection than it registered on (R38)', async () => {
    const { register, route, address } = await start('5.3.3');
    await register(3, 'T1', 'T2');
    const other = new NameServerClient();
    cleanUps.push(() => other.close());
    await other.unregisterBroker(address, identity);
    expect(await route('T1')).to.equal(undefined);
  });

  it('checks what bodyCrc32 gives (R17)', () => {
    expect(bodyCrc32(Buffer.from('123456789'))).to.equal(1_274_296_614);
  });
});
