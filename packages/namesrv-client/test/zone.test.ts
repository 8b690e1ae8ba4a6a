import { RequestCode } from '@rmqns/protocol';
import { expect } from 'chai';
import { identity } from './broker-fixture.js';
import { RegistrarBench } from './registrar-bench.js';

describe('a broker in a zone', () => {
  let bench: RegistrarBench;
  beforeEach(() => {
    bench = new RegistrarBench();
  });
  afterEach(() => bench.close());

  it('names it in every request, as a broker of 5.x does, and one without names none', async () => {
    const [server, other] = await bench.scripted(2);
    const zoned = bench.registrar([server], {
      identity: { ...identity, zoneName: 'az-1', heartbeatTimeoutMillis: 3_000 },
      forceRegister: false,
      conflictPolicy: 'standBack',
    });
    const plain = bench.registrar([other as typeof server], { conflictPolicy: 'standBack' });
    await Promise.all([zoned.start(), plain.start()]);
    await bench.clock.advanceAsync(1_000);
    await server.nth(RequestCode.QUERY_DATA_VERSION, 1);
    await Promise.all([zoned.shutdown(), plain.shutdown()]);
    expect(server.names).to.include.members(['REGISTER_BROKER', 'QUERY_DATA_VERSION', 'UNREGISTER_BROKER']);
    expect(new Set(server.requests.map(({ extFields }) => extFields?.['__ZONE_NAME']))).to.deep.equal(
      new Set(['az-1']),
    );
    expect(other?.requests.some(({ extFields }) => extFields?.['__ZONE_NAME'] !== undefined)).to.equal(false);
  });

  it('is known by it to a 5.x name server, and by another one as soon as it moves with the same topics', async () => {
    const server = await bench.nameServer({ profile: '5.3.3' });
    const client = bench.ownClient();
    const broker = bench.registrar([server], { identity: { ...identity, zoneName: 'az-1' } });
    const zone = async () =>
      (await client.getBrokerClusterInfo(server.address)).brokerAddrTable.get('broker-a')?.zoneName;
    await broker.start();
    expect(await zone()).to.equal('az-1');
    await broker.updateIdentity({ ...identity, zoneName: 'az-2' });
    expect(await zone()).to.equal('az-2');
  });
});
