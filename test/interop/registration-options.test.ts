import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type ApacheBroker, type ApacheSettings, apacheVersions, eventually, useApache } from '@rmqns/test-kit';
import { expect } from 'chai';
import { BothNameServers } from './both-name-servers.js';
import { AdminShell } from './mqadmin/admin-shell.js';

/** The least that brokers allow. */
const REGISTER_OFTEN = { registerNameServerPeriod: 10_000 };
const BINARY_HEADERS = { '-Drocketmq.serialize.type': 'ROCKETMQ' };

/** Groups by name, each with the options of one way to register. */
const groups: Readonly<Record<(typeof apacheVersions)[number], Readonly<Record<string, ApacheSettings>>>> = {
  '4.7.1': {
    'broker-plain': {},
    'broker-binary': BINARY_HEADERS,
    'broker-compressed': { compressedRegister: true },
    'broker-asks-first': { forceRegister: false },
  },
  '4.9.7': {
    'broker-plain': {},
    'broker-binary': BINARY_HEADERS,
    'broker-compressed': { compressedRegister: true },
    'broker-asks-first': { forceRegister: false },
  },
  '5.3.3': {
    'broker-plain': {},
    'broker-binary': BINARY_HEADERS,
    'broker-split': { enableSplitRegistration: true, splitRegistrationSize: 3 },
    'broker-single': { enableSingleTopicRegister: true },
    'broker-zone': { '-Drocketmq.zone': 'z1' },
  },
};

for (const version of apacheVersions) {
  describe(`brokers of ${version} that register with Apache's name server and ours at once`, () => {
    const apache = useApache(version);
    let both: BothNameServers;
    let shell: AdminShell;
    let brokers: ApacheBroker[];

    before(async function () {
      this.timeout(300_000);
      both = await BothNameServers.start(apache, version, { orderMessageEnable: 'true' });
      shell = AdminShell.start(apache, version);
      brokers = [];
      // One after the other: together they take a small machine beyond the time that each has.
      for (const [brokerName, settings] of Object.entries(groups[version])) {
        brokers.push(await apache.startBroker(version, both.addresses, { brokerName, ...REGISTER_OFTEN, ...settings }));
      }
    });

    after(async () => {
      await both?.[Symbol.asyncDispose]();
    });

    const admin = async (...args: readonly string[]): Promise<string> => {
      const [verb = '', ...rest] = args;
      return await shell.run(verb, '-n', both.addresses, ...rest);
    };
    const expectAlike = async (): Promise<void> => {
      await both.expectAlike(brokers.map(({ brokerAddr }) => brokerAddr));
    };

    it(`leave the same in both: ${Object.keys(groups[version]).join(', ')}`, async () => {
      await expectAlike();
    });

    it('leave the same when topics are made, changed and deleted', async () => {
      const topics = ['TopicA', 'TopicB', 'TopicC', 'TopicD'];
      for (const topic of topics) await admin('updateTopic', '-c', 'DefaultCluster', '-t', topic, '-r', '4', '-w', '4');
      await admin('updateTopic', '-c', 'DefaultCluster', '-t', 'OrderTopic', '-o', 'true');
      const [{ brokerAddr } = { brokerAddr: '' }] = brokers;
      await admin('updateTopic', '-b', brokerAddr, '-t', 'UnitTopic', '-u', 'true');
      for (const topic of topics) expect(JSON.stringify((await both.route(topic)).body)).to.contain('broker-plain');
      await expectAlike();
      for (const broker of brokers) {
        await admin('updateTopicPerm', '-b', broker.brokerAddr, '-t', 'TopicB', '-p', '4');
      }
      await admin('deleteTopic', '-c', 'DefaultCluster', '-t', 'TopicA');
      await expectAlike();
    });

    if (version === '5.3.3') {
      it('leave the same of a static topic, and when it is mapped anew', async () => {
        await admin('updateStaticTopic', '-t', 'StaticTopic', '-qn', '4', '-b', 'broker-plain,broker-binary');
        await eventually(
          async () => {
            const text = JSON.stringify((await both.route('StaticTopic')).body);
            return text.includes('topicQueueMappingByBroker') ? true : undefined;
          },
          { what: 'the mapping of the static topic', timeoutMillis: 30_000, intervalMillis: 250 },
        );
        await expectAlike();
        await admin('remappingStaticTopic', '-t', 'StaticTopic', '-b', 'broker-split');
        await expectAlike();
      });
    }

    it('leave nothing in either when they are stopped', async () => {
      await Promise.all(brokers.splice(0).map(({ process }) => process.stop('SIGTERM')));
      await both.expectAlike([]);
    });
  });
}

describe('brokers of 5.3.3 whose slaves act as masters (enableSlaveActingMaster)', () => {
  const apache = useApache('5.3.3');

  for (const compatibleWithOldNameSrv of [true, false]) {
    const how = compatibleWithOldNameSrv ? 'heard by 322' : 'heard by 904';
    it(`${how}: are the same in both, with the slave in its master's place once that has died, told of it by both (905)`, async function () {
      this.timeout(300_000);
      await using both = await BothNameServers.start(apache, '5.3.3', {
        supportActingMaster: 'true',
        notifyMinBrokerIdChanged: 'true',
      });
      // They register once a minute: what keeps them alive beyond ten seconds is their heartbeats.
      const settings = {
        enableSlaveActingMaster: true,
        compatibleWithOldNameSrv,
        registerNameServerPeriod: 60_000,
      };
      const master = await apache.startBroker('5.3.3', both.addresses, settings);
      const slave = await apache.startBroker('5.3.3', both.addresses, {
        ...settings,
        brokerRole: 'SLAVE',
        brokerId: 1,
      });
      await both.expectAlike([master.brokerAddr, slave.brokerAddr]);
      const before = await both.route('TBW102');
      expect(addrsById(before)).to.deep.equal({ 0: master.brokerAddr, 1: slave.brokerAddr });

      await master.process.stop('SIGKILL');
      await both.expectAlike([slave.brokerAddr]);
      expect(addrsById(await both.route('TBW102'))).to.deep.equal({ 0: slave.brokerAddr });
      await waitForNotices(slave, 2);
      await slave.process[Symbol.asyncDispose]();
    });
  }
});

function addrsById({ body }: { readonly body: unknown }): unknown {
  const { brokerDatas } = body as { brokerDatas: readonly { brokerAddrs: unknown }[] };
  return brokerDatas[0]?.brokerAddrs;
}

/** 905 has no answer, and its log is a file: nothing else tells that it came. */
async function waitForNotices(broker: ApacheBroker, count: number): Promise<void> {
  const file = join(broker.directory, 'logs/broker.log');
  await eventually(
    async () => {
      const notices = (await readFile(file, 'utf8')).match(/min broker id changed, prev \d+, new 1\b/g) ?? [];
      return notices.length >= count ? true : undefined;
    },
    { what: `${count} notices of the smallest id at the slave`, timeoutMillis: 40_000, intervalMillis: 250 },
  );
}
