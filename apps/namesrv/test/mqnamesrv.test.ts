import { once } from 'node:events';
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { connect, createServer } from 'node:net';
import { join } from 'node:path';
import {
  encodeRegisterBrokerBody,
  GetRouteInfoByTopic,
  MqVersion,
  PutKvConfig,
  RegisterBroker,
  type RegisterBrokerBody,
  type TopicConfig,
} from '@rmqns/protocol';
import { RemotingClient } from '@rmqns/remoting';
import { eventually } from '@rmqns/test-kit';
import { expect } from 'chai';
import { launcher, TestHome } from './mqnamesrv-process.js';

const onAnyPort = ['--port', '0', '--bind', '127.0.0.1'];

function registrationOf(topics: readonly string[], counter = 1): RegisterBrokerBody {
  return {
    topicConfigSerializeWrapper: {
      dataVersion: { timestamp: 1, counter, stateVersion: 0 },
      topicConfigTable: new Map(topics.map((topicName) => [topicName, topic(topicName)])),
      topicQueueMappingInfoMap: new Map(),
    },
    filterServerList: [],
  };
}

function topic(topicName: string): TopicConfig {
  return {
    topicName,
    readQueueNums: 4,
    writeQueueNums: 4,
    perm: 6,
    topicFilterType: 'SINGLE_TAG',
    topicSysFlag: 0,
    order: false,
  };
}

describe('mqnamesrv', () => {
  let home: TestHome;
  beforeEach(() => {
    home = new TestHome();
  });
  afterEach(() => home.remove());

  it('says that it serves, with the real port, and accepts connections', async () => {
    const server = home.start(onAnyPort);
    const line = await server.line(/boot success/);
    expect(line).to.match(/^The Name Server boot success\. serializeType=JSON, address 127\.0\.0\.1:\d+$/);
    const socket = connect(await server.booted(), '127.0.0.1');
    await once(socket, 'connect');
    socket.destroy();
  });

  for (const signal of ['SIGTERM', 'SIGINT'] as const)
    it(`stops with exit code 0 on ${signal}, also with a connection open, and frees its port`, async () => {
      const server = home.start(onAnyPort);
      const port = await server.booted();
      const socket = connect(port, '127.0.0.1');
      await once(socket, 'connect');
      socket.on('error', () => {});
      server.kill(signal);
      expect(await server.ended).to.equal(0);
      expect(server.stderr).to.equal('');
      socket.destroy();
      const taken = createServer().listen(port, '127.0.0.1');
      await once(taken, 'listening');
      taken.close();
    });

  it('writes a log of JSON lines beside the plain ones', async () => {
    const server = home.start(onAnyPort);
    await server.booted();
    server.kill('SIGTERM');
    await server.ended;
    const plain = server.stdoutLines.filter((line) => !line.startsWith('{'));
    expect(plain).to.have.length(1);
    expect(server.logLines.at(-1)).to.include({ level: 'info', signal: 'SIGTERM', msg: 'the name server stops' });
    expect(server.logLines.at(-1)?.['time']).to.match(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/);
  });

  it('writes a log for eyes when asked', async () => {
    const server = home.start([...onAnyPort, '--log-format', 'pretty', '--set', 'serverWorkerThreads=4']);
    await server.booted();
    expect(server.stdoutLines[0]).to.match(
      /^\d\d:\d\d:\d\d\.\d{3}Z INFO {2}accepted, no effect: serverWorkerThreads keys=\["serverWorkerThreads"\]$/,
    );
  });

  it("reads a file, says so in Apache's words, and names unknown keys and those without effect in the log", async () => {
    const file = join(home.path, 'namesrv.properties');
    writeFileSync(
      file,
      'listenPort = 0\nbindAddress: 127.0.0.1\nserverWorkerThreads=8\nserverSelectorThreads=3\norderMesageEnable=true\n',
    );
    const server = home.start(['-c', file, '-n', '10.0.0.1:9876']);
    await server.booted();
    expect(server.stdoutLines[0]).to.equal(`load config properties file OK, ${file}`);
    const [warning, info] = server.logLines;
    expect(warning).to.include({
      level: 'warn',
      msg: `${file}:5:1 orderMesageEnable: there is no such option (did you mean orderMessageEnable?)`,
    });
    expect(info).to.include({ msg: 'accepted, no effect: serverWorkerThreads, serverSelectorThreads' });
  });

  it('says in one sentence that the port is in use, and exits 1', async () => {
    const taken = createServer().listen(0, '127.0.0.1');
    await once(taken, 'listening');
    const { port } = taken.address() as { port: number };
    const server = home.start(['--port', String(port), '--bind', '127.0.0.1']);
    expect(await server.ended).to.equal(1);
    expect(server.stderr).to.match(
      new RegExp(
        `^mqnamesrv: cannot listen on 127\\.0\\.0\\.1:${port}: (process ${process.pid} \\(.*\\)|another process) listens there already; stop it.* or choose another port with --port\\n$`,
      ),
    );
    expect(server.stdout).to.equal('');
    taken.close();
  });

  it("says in one sentence that an address is not this machine's, and exits 1", async () => {
    const server = home.start(['--port', '0', '--bind', '192.0.2.1']);
    expect(await server.ended).to.equal(1);
    expect(server.stderr).to.equal(
      'mqnamesrv: cannot listen on 192.0.2.1:0: this machine has no such address; choose one of its own with --bind\n',
    );
  });

  it('says in one sentence that its file is missing, and exits 1', async () => {
    const server = home.start(['-c', 'missing.properties']);
    expect(await server.ended).to.equal(1);
    expect(server.stderr).to.equal(
      'mqnamesrv: cannot read the configuration file missing.properties: there is no such file\n',
    );
  });

  it('names every problem of file, environment and flags at once, and exits 78', async () => {
    writeFileSync(
      join(home.path, 'bad.properties'),
      '# ours\nlistenPort=98760\nkvConfigPath=\\\n  \\u12\nenableTopicList=yes\n\\u=1\n',
    );
    const server = home.start(['-c', 'bad.properties', '--set', 'profile=5.3'], {
      environment: { RMQ_NAMESRV_MAX_FRAME_BYTES: 'big' },
    });
    expect(await server.ended).to.equal(78);
    expect(server.stdout).to.equal('');
    expect(server.stderr.split('\n')).to.deep.equal([
      'mqnamesrv: the configuration cannot be used:',
      'bad.properties:2:12 listenPort: "98760" is not between 0 and 65535',
      'bad.properties:4:3: malformed escape \\u12: four hexadecimal digits must follow \\u (write \\\\u for a backslash and a u)',
      'bad.properties:5:17 enableTopicList: "yes" is neither true nor false',
      'bad.properties:6:1: malformed escape \\u: four hexadecimal digits must follow \\u (write \\\\u for a backslash and a u)',
      'environment RMQ_NAMESRV_MAX_FRAME_BYTES, maxFrameBytes: "big" is no whole number',
      '--set profile: "5.3" is none of 4.7.1, 4.9.7, 5.3.3',
      '',
    ]);
  });

  it('exits 64 on an unknown option', async () => {
    const server = home.start(['--prot', '1']);
    expect(await server.ended).to.equal(64);
    expect(server.stderr).to.equal(
      "mqnamesrv: unknown option '--prot' (Did you mean --port?); mqnamesrv --help lists all options\n",
    );
  });

  it('prints the effective options with -p, and exits 0', async () => {
    writeFileSync(join(home.path, 'a.properties'), 'listenPort=1000\norderMessageEnable=true\n');
    const server = home.start(['-p', '-c', 'a.properties', '--port', '2000']);
    expect(await server.ended).to.equal(0);
    expect(server.stderr).to.equal('');
    const lines = server.stdoutLines;
    expect(lines.slice(0, 4)).to.deep.equal([
      'load config properties file OK, a.properties',
      'rocketmqHome=',
      `kvConfigPath=${home.path}/namesrv/kvConfig.json`,
      'configStorePath=a.properties',
    ]);
    expect(lines).to.include.members([
      'listenPort=2000',
      'orderMessageEnable=true',
      'scanNotActiveBrokerInterval=5000',
    ]);
  });

  it('checks a configuration without starting, and says what it would warn of on stderr', async () => {
    writeFileSync(join(home.path, 'a.properties'), 'listenPort=1000\nlistenProt=1\n');
    const good = home.start(['-c', 'a.properties', '--check-config']);
    expect(await good.ended).to.equal(0);
    expect(good.stdout).to.equal('the configuration can be used\n');
    expect(good.stderr).to.equal(
      'mqnamesrv: a.properties:2:1 listenProt: there is no such option (did you mean listenPort?)\n',
    );
    const bad = home.start(['-c', 'a.properties', '--check-config', '--port', 'x']);
    expect(await bad.ended).to.equal(78);
  });

  it('prints its version', async () => {
    const server = home.start(['--version']);
    expect(await server.ended).to.equal(0);
    expect(server.stdout).to.match(/^mqnamesrv \d+\.\d+\.\d+ .*Node\.js v\d+/);
  });

  it('runs through its launcher from another directory, through a relative symbolic link to it', async () => {
    symlinkSync(launcher, join(home.path, 'first'));
    symlinkSync('first', join(home.path, 'mqnamesrv'));
    const server = home.start(onAnyPort, { command: ['./mqnamesrv'] });
    await server.booted();
    server.kill('SIGTERM');
    expect(await server.ended).to.equal(0);
  });

  it('runs through its launcher as an argument of sh', async () => {
    const server = home.start(onAnyPort, { command: ['sh', launcher], cwd: '/' });
    await server.booted();
    server.kill('SIGTERM');
    expect(await server.ended).to.equal(0);
  });

  it("logs that a broker came and went, in Apache's words and with fields", async () => {
    const server = home.start(onAnyPort);
    const address = `127.0.0.1:${await server.booted()}`;
    const client = new RemotingClient({ version: MqVersion.V5_3_3 });
    const broker = {
      clusterName: 'C',
      brokerName: 'a',
      brokerId: 0,
      brokerAddr: '10.0.0.1:10911',
      haServerAddr: '10.0.0.1:10912',
    };
    await client.call(address, RegisterBroker, broker, {
      body: encodeRegisterBrokerBody(registrationOf(['T1', 'T2']), { compressed: false, fiveX: true }),
    });
    await client.close();
    await server.line(/remove brokerAddr/);
    server.kill('SIGTERM');
    await server.ended;
    const registered = server.logLines.find((line) => line['event'] === 'broker.registered');
    expect(registered).to.include({
      level: 'info',
      msg: 'new broker registered, 10.0.0.1:10911 HAServer: 10.0.0.1:10912',
      cluster: 'C',
      broker: 'a',
      brokerId: 0,
      addr: '10.0.0.1:10911',
      cause: 'register',
    });
    const messages = server.logLines.map((line) => line['msg']);
    expect(messages).to.include.members([
      'new topic registered, T1 QueueData [brokerName=a, readQueueNums=4, writeQueueNums=4, perm=6, topicSysFlag=0]',
      "the broker's channel destroyed, 10.0.0.1:10911, clean it's data structure at once",
      'remove brokerAddr[0, 10.0.0.1:10911] from brokerAddrTable, because channel destroyed',
      'remove brokerName[a] from brokerAddrTable, because channel destroyed',
      'remove topic[T2] all queue, from topicQueueTable, because channel destroyed',
    ]);
  });

  it('keeps the KV configuration in its home, readable by its owner alone', async () => {
    const server = home.start(onAnyPort);
    const client = new RemotingClient();
    const header = { namespace: 'ORDER_TOPIC_CONFIG', key: 'T', value: 'a:4' };
    await client.call(`127.0.0.1:${await server.booted()}`, PutKvConfig, header);
    await client.close();
    server.kill('SIGTERM');
    expect(await server.ended).to.equal(0);
    const directory = join(home.path, 'namesrv');
    expect(readdirSync(directory)).to.deep.equal(['kvConfig.json']);
    expect(statSync(join(directory, 'kvConfig.json')).mode & 0o777).to.equal(0o600);
  });

  it('says in one sentence that its KV configuration is torn, and exits 1', async () => {
    const file = join(home.path, 'namesrv', 'kvConfig.json');
    mkdirSync(join(home.path, 'namesrv'));
    writeFileSync(file, '{"configTable":{');
    const server = home.start(onAnyPort);
    expect(await server.ended).to.equal(1);
    expect(server.stderr)
      .to.match(/^mqnamesrv: the KV configuration file [^\n]+\n$/)
      .and.include(file);
  });

  it('reads its configuration again at SIGHUP: what can takes effect at once, the rest is told by name', async () => {
    const file = join(home.path, 'a.properties');
    writeFileSync(file, 'listenPort=0\nbindAddress=127.0.0.1\nlogLevel=warn\n');
    const server = home.start(['-c', file]);
    await server.booted();
    writeFileSync(
      file,
      'listenPort=0\nbindAddress=127.0.0.1\nlogLevel=debug\nmaxFrameBytes=2048\nenableTopicList=false\nlistenProt=1\n',
    );
    server.kill('SIGHUP');
    await server.line(/a.properties:6:1 listenProt: .*did you mean listenPort/);
    await server.line(
      /the configuration was read again: the log level was warn and is debug; in effect now: enableTopicList; a restart is needed for maxFrameBytes/,
    );
    writeFileSync(file, 'listenPort=x\nlogLevel=error\n');
    server.kill('SIGHUP');
    await server.line(/read again and is not taken: .*listenPort: \\"x\\" is no whole number/);
    server.kill('SIGTERM');
    expect(await server.ended).to.equal(0);
  });

  it('logs to the file of logPath, and opens it again at SIGUSR1', async () => {
    const path = join(home.path, 'namesrv.log');
    const server = home.start([...onAnyPort, '--set', `logPath=${path}`, '--set', 'disableCallbackExecutor=false']);
    await server.booted();
    expect(server.stdoutLines).to.have.length(1);
    renameSync(path, `${path}.1`);
    server.kill('SIGUSR1');
    // A signal is handled before the next: what follows goes to the new file.
    await eventually(async () => existsSync(path) || undefined, { what: 'the new log file', timeoutMillis: 10_000 });
    server.kill('SIGTERM');
    expect(await server.ended).to.equal(0);
    expect(readFileSync(`${path}.1`, 'utf8')).to.include('accepted, no effect: disableCallbackExecutor');
    expect(readFileSync(path, 'utf8')).to.include('the name server stops');
    expect(statSync(path).mode & 0o777).to.equal(0o640);
  });

  it('keeps a record of changes that are asked for, in a file of its own where it is told to', async () => {
    const path = join(home.path, 'audit.log');
    const server = home.start([...onAnyPort, '--set', `auditLogPath=${path}`]);
    const client = new RemotingClient();
    const header = { namespace: 'ORDER_TOPIC_CONFIG', key: 'T', value: 'a:4' };
    await client.call(`127.0.0.1:${await server.booted()}`, PutKvConfig, header);
    await client.close();
    server.kill('SIGTERM');
    expect(await server.ended).to.equal(0);
    const line = JSON.parse(readFileSync(path, 'utf8')) as Record<string, unknown>;
    expect(line).to.deep.include({
      type: 'audit',
      code: 'PUT_KV_CONFIG',
      target: { namespace: 'ORDER_TOPIC_CONFIG', key: 'T' },
      result: 0,
    });
    expect(line['peer']).to.match(/^127\.0\.0\.1:\d+$/);
    expect(server.stdout).to.not.include('audit');
  });

  it('says in one sentence that its log file cannot be opened, and exits 1', async () => {
    const server = home.start([...onAnyPort, '--set', `logPath=${home.path}`]);
    expect(await server.ended).to.equal(1);
    expect(server.stderr).to.equal(`mqnamesrv: cannot open the log file ${home.path}: it is a directory\n`);
  });

  it('starts with the former KV configuration when it is told to', async () => {
    mkdirSync(join(home.path, 'namesrv'));
    const path = join(home.path, 'namesrv', 'kvConfig.json');
    writeFileSync(path, '{"configTable":{');
    writeFileSync(`${path}.bak`, '{"configTable":{"N":{"k":"v"}}}');
    const server = home.start([...onAnyPort, '--kv-from-backup']);
    await server.booted();
    expect(server.logLines[0]?.['msg']).to.include(`cannot be used and is now ${path}.broken`);
    expect(readFileSync(path, 'utf8')).to.equal('{"configTable":{"N":{"k":"v"}}}');
  });

  it('keeps serving when nobody reads its output any more, and stops with 0', async () => {
    const server = home.start([...onAnyPort, '--log-level', 'trace']);
    const port = await server.booted();
    server.closeOutput();
    const socket = connect(port, '127.0.0.1');
    await once(socket, 'connect');
    server.kill('SIGTERM');
    expect(await server.ended).to.equal(0);
    socket.destroy();
  });

  it('keeps serving while the reader of its output stalls, and stops with 0 within seconds', async () => {
    const server = home.start([...onAnyPort, '--log-level', 'debug']);
    const address = `127.0.0.1:${await server.booted()}`;
    server.stopReading();
    const client = new RemotingClient({ version: MqVersion.V5_3_3 });
    // Some 20 MB of log lines, more than may wait.
    const names = Array.from({ length: 20_000 }, (_, i) => `T${i}_${'x'.repeat(100)}`);
    const broker = { clusterName: 'C', brokerName: 'a', brokerId: 0, brokerAddr: '10.0.0.1:1', haServerAddr: '' };
    for (const [counter, each] of [names, names.slice(1)].entries())
      await client.call(address, RegisterBroker, broker, {
        body: encodeRegisterBrokerBody(registrationOf(each, counter), { compressed: false, fiveX: true }),
        timeoutMillis: 30_000,
      });
    const route = await client.call(address, GetRouteInfoByTopic, { topic: names[1] ?? '' });
    expect(route.command.code).to.equal(0);
    const began = performance.now();
    server.kill('SIGTERM');
    expect(await server.exited).to.equal(0);
    expect(performance.now() - began).to.be.below(4_000);
    await client.close();
  });

  it('says in one line that nobody caught an exception, with its stack in the log, and exits 70', async () => {
    const defect = "process.once('SIGUSR2', () => { throw new Error('it broke'); })";
    const nodeArguments = ['--import', `data:text/javascript,${encodeURIComponent(defect)}`];
    const server = home.start(onAnyPort, { nodeArguments });
    await server.booted();
    server.kill('SIGUSR2');
    expect(await server.ended).to.equal(70);
    expect(server.stderr).to.equal('mqnamesrv: internal error, please report it: it broke (its stack is in the log)\n');
    const { level, msg, err } = server.logLines.at(-1) ?? {};
    expect({ level, msg }).to.deep.equal({
      level: 'fatal',
      msg: 'internal error, please report it; the name server stops',
    });
    expect((err as { stack: string }).stack).to.match(/^Error: it broke\n +at /);
  });
});
