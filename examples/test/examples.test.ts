import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import {
  decodeTopicRouteData,
  encodeRegisterBrokerBody,
  GetRouteInfoByTopic,
  MqVersion,
  RegisterBroker,
  type RegisterBrokerBody,
} from '@rmqns/protocol';
import { RemotingClient } from '@rmqns/remoting';
import { expect } from 'chai';

const pathOf = (name: string): string => fileURLToPath(new URL(`../${name}.js`, import.meta.url));

/** What an example prints from its begin to its end. It must end by itself, and have nothing to complain of. */
async function linesOf(name: string, ...args: string[]): Promise<string[]> {
  const run = promisify(execFile)(process.execPath, [pathOf(name), ...args], { timeout: 9_000 });
  const { stdout, stderr } = await run;
  expect(stderr).to.equal('');
  return stdout.trimEnd().split('\n');
}

describe('the examples', () => {
  it('hello: a greeting, and one without an answer, each timed by an interceptor', async () => {
    const lines = await linesOf('hello');
    expect(lines.filter((line) => !line.startsWith('GREET '))).to.deep.equal(['hello Ada hello Ada']);
    expect(lines.filter((line) => /^GREET \d+\.\d ms$/.test(line)).length).to.equal(2);
  });

  it('server-push: members of a chat read what others say', async () => {
    expect(await linesOf('server-push')).to.deep.equal(['Bob reads: Ada: is anybody there?', 'Ada reads: Bob: yes']);
  });

  it('key-value-store: answers that say no', async () => {
    expect(await linesOf('key-value-store')).to.deep.equal([
      'city is Hangzhou, version 1',
      'refused with 9202: city has version 2',
      'refused with 9201: there is no country',
    ]);
  });

  it('file-transfer: a file larger than a frame', async () => {
    expect(await linesOf('file-transfer')).to.deep.equal(['sent 20971527 bytes', 'and they are there']);
  });

  it('rate-limited-gateway: a backend that has no longer than the client waits, and requests that are too many', async () => {
    expect(await linesOf('rate-limited-gateway')).to.deep.equal([
      'tea costs 300 cents',
      'everything: no price in time',
      'the backend had no more than 500 ms, and stopped',
      'milk costs 400 cents',
      'bread costs 500 cents',
      'salt costs 400 cents',
      'soap: too many requests; come back later',
      'wine: too many requests; come back later',
    ]);
  });

  it('tls: who has no certificate is not served', async () => {
    expect(await linesOf('tls')).to.deep.equal([
      'TLSv1.3, and I am O=Example, CN=ada',
      'refused without a certificate',
      'refused without TLS',
    ]);
  });

  describe('mini-name-server', () => {
    let child: ChildProcess;
    let address: string;

    beforeEach(async () => {
      child = spawn(process.execPath, [pathOf('mini-name-server'), '0'], { stdio: ['ignore', 'pipe', 'inherit'] });
      const lines = createInterface({ input: child.stdout as NodeJS.ReadableStream });
      const [line] = (await once(lines, 'line')) as [string];
      address = line.replace('listening on ', '');
    });

    afterEach(async () => {
      const ended = once(child, 'exit');
      child.kill();
      expect(await ended).to.deep.equal([0, null]);
    });

    it('shows the topics of a broker that registered, until its connection closes', async () => {
      const broker = new RemotingClient({ version: MqVersion.V5_3_3 });
      const { topicConfigSerializeWrapper } = registration();
      const body = encodeRegisterBrokerBody(
        { topicConfigSerializeWrapper, filterServerList: [] },
        { compressed: false, fiveX: true },
      );
      await broker.call(
        address,
        RegisterBroker,
        { brokerName: 'broker-a', brokerAddr: '127.0.0.1:10911', clusterName: 'c', brokerId: 0 },
        { body },
      );

      const client = new RemotingClient({ version: MqVersion.V5_3_3 });
      const { body: route } = await client.call(address, GetRouteInfoByTopic, { topic: 'TopicA' });
      const { brokerDatas } = decodeTopicRouteData(route) ?? { brokerDatas: [] };
      expect(brokerDatas.map(({ brokerName, brokerAddrs }) => [brokerName, [...brokerAddrs]])).to.deep.equal([
        ['broker-a', [[0, '127.0.0.1:10911']]],
      ]);
      await client.close();
      await broker.close();
    });

    it('says no to what it does not know, and real-broker says so in a sentence', async () => {
      const failed = await promisify(execFile)(process.execPath, [pathOf('real-broker'), address]).catch(
        (error: { code: number; stderr: string }) => error,
      );
      expect(failed).to.include({ code: 1 });
      expect(failed.stderr)
        .to.match(/request type 106 not supported/)
        .and.not.match(/\n\s+at /);
    });
  });
});

function registration(): RegisterBrokerBody {
  const topic = {
    topicName: 'TopicA',
    readQueueNums: 8,
    writeQueueNums: 8,
    perm: 6,
    topicFilterType: 'SINGLE_TAG' as const,
    topicSysFlag: 0,
    order: false,
  };
  return {
    topicConfigSerializeWrapper: {
      dataVersion: { stateVersion: 0, timestamp: 1, counter: 1 },
      topicConfigTable: new Map([['TopicA', topic]]),
      topicQueueMappingInfoMap: new Map(),
    },
    filterServerList: null,
  };
}
