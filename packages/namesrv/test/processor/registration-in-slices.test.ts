import { createHash } from 'node:crypto';
import { encodeRegisterBrokerBody, RequestCode, ResponseCode } from '@rmqns/protocol';
import type { Channel, RemotingCommand } from '@rmqns/remoting';
import { expect } from 'chai';
import { topicConfig, version } from '../routeinfo/registration.js';
import { ProcessorFixture } from './processor-fixture.js';

/** So many that a registration of them is done in slices. */
const COUNT = 6_000;
const MANY = Array.from({ length: COUNT }, (_, index) => `T${index}`);
const MASTER = { clusterName: 'C1', brokerName: 'broker-a', brokerAddr: '10.0.0.1:10911', brokerId: '0' };
const SLAVE = { ...MASTER, brokerAddr: '10.0.0.2:10911', brokerId: '1', enableActingMaster: 'true' };

class SlicesFixture extends ProcessorFixture {
  /** Each time over another connection. */
  register(
    broker: Record<string, string>,
    counter: number,
    { names = MANY, compressed = false }: { readonly names?: readonly string[]; readonly compressed?: boolean } = {},
  ): Promise<RemotingCommand> {
    const topicConfigSerializeWrapper = {
      dataVersion: version(counter),
      topicConfigTable: new Map(names.map((name) => [name, topicConfig(name)])),
      topicQueueMappingInfoMap: new Map(),
    };
    const body = encodeRegisterBrokerBody(
      { topicConfigSerializeWrapper, filterServerList: [] },
      { compressed, fiveX: this.manager.tables.profile.fiveX },
    );
    return this.registerBody(broker, body, compressed);
  }

  registerBody(
    broker: Record<string, string>,
    body: Uint8Array,
    compressed = false,
    channel = { isActive: true, remoteAddress: '10.0.0.1:5' } as Channel,
  ): Promise<RemotingCommand> {
    return this.ask(RequestCode.REGISTER_BROKER, { ...broker, compressed: String(compressed) }, { channel, body });
  }

  /** Resolves when the first topics of a registration are there and the last are not. */
  async untilHalfDone(): Promise<void> {
    while (!this.#has('T0')) await new Promise((resolve) => setImmediate(resolve));
    expect(this.#has(MANY.at(-1) ?? '')).to.equal(false);
  }

  /** How many topics have which permissions. */
  perms(): Record<string, number> {
    const perms: Record<string, number> = {};
    for (const topic of this.manager.getAllTopicList()) {
      const { perm } = this.manager.tables.topicQueueTable.get(topic, MASTER.brokerName) ?? expect.fail();
      perms[perm] = (perms[perm] ?? 0) + 1;
    }
    return perms;
  }

  #has(topic: string): boolean {
    return this.manager.tables.topicQueueTable.has(topic);
  }
}

describe('a registration of 16 MiB that no broker writes', () => {
  const fill = (unit: (index: number) => string, bytes: number): string => {
    const units: string[] = [];
    for (let index = 0, length = 0; length < bytes; index++) length += units[units.push(unit(index)) - 1]?.length ?? 0;
    return units.join();
  };
  const bodyOf = (members: string): Buffer =>
    Buffer.from(`{topicConfigSerializeWrapper:{dataVersion:{counter:1},topicConfigTable:{${members}}}}`);
  const TWO = "A:{topicName:'A'},B:{topicName:'B'}";
  const LENGTH = 15 * 1024 * 1024;
  const rows: [string, () => Buffer][] = [
    ['with members nobody knows', () => bodyOf(`${TWO},C:{topicName:'C',${fill((n) => `"m${n}":"${n}"`, LENGTH)}}`)],
    [
      'with long topics',
      () => bodyOf(`${TWO},${fill((n) => `t${n}:{topicName:'t${n}',x:"${'\n'.repeat(2000)}"}`, LENGTH)}`),
    ],
    ['with one long text', () => bodyOf(`${TWO},C:{topicName:'C',x:'${'\n'.repeat(LENGTH / 2)}'}`)],
    ['with blanks', () => bodyOf(`${TWO}${' '.repeat(LENGTH)}`)],
  ];
  for (const [what, bytes] of rows) {
    it(`lets others have their turn many times, and is answered: ${what}`, async () => {
      const fixture = new SlicesFixture();
      await fixture.register({ ...MASTER, brokerName: 'other', brokerAddr: '10.0.0.9:10911' }, 1, {
        names: ['X', 'Y'],
      });
      let isAnswered = false;
      const registered = fixture.registerBody(MASTER, bytes()).finally(() => {
        isAnswered = true;
      });
      let others = 0;
      for (; !isAnswered; others++) {
        const { code } = await fixture.ask(RequestCode.GET_ROUTEINFO_BY_TOPIC, { topic: 'X' });
        expect(code).to.equal(ResponseCode.SUCCESS);
        await new Promise((resolve) => setImmediate(resolve));
      }
      expect((await registered).code).to.equal(ResponseCode.SUCCESS);
      expect(fixture.manager.getAllTopicList()).to.include.members(['A', 'B']);
      expect(others).to.be.above(200);
    });
  }
});

describe('a registration in slices, and what else comes for its group meanwhile', () => {
  for (const [what, names] of [
    ['topics', MANY.toReversed()],
    ['few topics', MANY.slice(-100)],
  ] as const) {
    it(`the master that registers after its slave, with ${what}, leaves none of them read-only`, async () => {
      const fixture = new SlicesFixture();
      const slave = fixture.register(SLAVE, 1);
      await fixture.untilHalfDone();
      await Promise.all([slave, fixture.register(MASTER, 1, { names })]);
      const readOnly = COUNT - names.length;
      expect(fixture.perms()).to.deep.equal({ ...(readOnly > 0 ? { 4: readOnly } : {}), 6: names.length });
    });
  }

  for (const profile of ['4.7.1', '4.9.7', '5.3.3'] as const) {
    it(`as ${profile} the same registration, compressed, loses no topic`, async () => {
      const fixture = new SlicesFixture(profile);
      const first = fixture.register(MASTER, 1);
      await fixture.untilHalfDone();
      await Promise.all([first, fixture.register(MASTER, 1, { compressed: true })]);
      expect(fixture.perms()).to.deep.equal({ 6: COUNT });
    });
  }

  it('a wipe counts for all topics, not for those that are there already', async () => {
    const fixture = new SlicesFixture();
    const registered = fixture.register(MASTER, 1);
    await fixture.untilHalfDone();
    const wiped = fixture.ask(RequestCode.WIPE_WRITE_PERM_OF_BROKER, { brokerName: MASTER.brokerName });
    await registered;
    expect((await wiped).extFields).to.deep.include({ wipeTopicCount: String(COUNT) });
    expect(fixture.perms()).to.deep.equal({ 4: COUNT });
  });

  for (const [what, counter] of [
    ['the next registration, unchanged', 1],
    ['the next registration, of another version', 2],
  ] as const) {
    it(`a topic deleted meanwhile is brought back by ${what}`, async () => {
      const fixture = new SlicesFixture();
      const registered = fixture.register(MASTER, 1);
      await fixture.untilHalfDone();
      await fixture.ask(RequestCode.DELETE_TOPIC_IN_NAMESRV, { topic: 'T0' });
      await registered;
      expect(fixture.perms()).to.deep.equal({ 6: COUNT - 1 });
      await fixture.register(MASTER, counter);
      expect(fixture.perms()).to.deep.equal({ 6: COUNT });
    });
  }
});

describe('large registrations that come together', () => {
  const LARGE = Array.from({ length: 10_000 }, (_, index) => `Topic-${index}`);
  const groupOf = (name: string) => ({ ...MASTER, brokerName: name, brokerAddr: `${name}:10911` });

  it('are done one after the other, and smaller ones beside them', async () => {
    const fixture = new SlicesFixture();
    const done: string[] = [];
    const register = async (name: string, names: readonly string[], compressed = false): Promise<void> => {
      const { code } = await fixture.register(groupOf(name), 1, { names, compressed });
      expect(code).to.equal(ResponseCode.SUCCESS);
      done.push(name);
    };
    await Promise.all([
      register('large', LARGE),
      register(
        'compressed',
        LARGE.map((name) => `${name}-${createHash('md5').update(name).digest('hex')}`),
        true,
      ),
      register('larger', [...LARGE, 'another']),
      register('small', LARGE.slice(0, 1_000)),
    ]);
    expect(done).to.deep.equal(['small', 'large', 'compressed', 'larger']);
  });

  it('are not read when their connection has ended by their turn', async () => {
    const fixture = new SlicesFixture();
    const channel = { isActive: true, remoteAddress: '10.0.0.1:5' };
    const first = fixture.register(groupOf('first'), 1, { names: LARGE });
    const noRegistration = Buffer.alloc(2 * 1024 * 1024, '{');
    const second = fixture.registerBody(groupOf('second'), noRegistration, false, channel as Channel);
    channel.isActive = false;
    expect((await first).code).to.equal(ResponseCode.SUCCESS);
    const { code, remark } = await second;
    expect({ code, remark }).to.deep.equal({
      code: ResponseCode.SYSTEM_ERROR,
      remark: 'the connection ended before the broker was registered',
    });
  });
});

describe('a body that is said to be compressed', () => {
  for (const byteLength of [16 * 1024, 16 * 1024 + 1, 64 * 1024, 64 * 1024 + 1]) {
    it(`and is none is refused, whether it is read at once or in slices: ${byteLength} bytes`, async () => {
      const body = Buffer.alloc(byteLength, '{');
      const answer = await new SlicesFixture().registerBody(MASTER, body, true).catch((error: Error) => error.message);
      expect(typeof answer === 'string' ? answer : answer.remark).to.contain('the compressed body is no zlib stream');
    });
  }
});
