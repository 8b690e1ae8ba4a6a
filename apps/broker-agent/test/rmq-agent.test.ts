import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, renameSync, symlinkSync, writeFileSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { type CapturedProcess, eventually } from '@rmqns/test-kit';
import { expect } from 'chai';
import { AgentHome, launcher, nextEvent } from './agent-home.js';
import { topicsJsonText } from './topics-json-text.js';

const profiles = ['4.7.1', '4.9.7', '5.3.3'] as const;
const logLines = (agent: CapturedProcess): Record<string, unknown>[] =>
  agent.output
    .split('\n')
    .filter((line) => line.startsWith('{'))
    .map((line) => JSON.parse(line));
const messages = (agent: CapturedProcess): unknown[] => logLines(agent).map(({ msg }) => msg);

describe('rmq-agent', () => {
  let home: AgentHome;
  beforeEach(() => {
    home = new AgentHome();
  });
  afterEach(() => home[Symbol.asyncDispose]());

  for (const topics of [[], ['One'], ['A', 'B', 'C']])
    it(`registers ${topics.length} topics with name servers of three profiles while a fourth is down, and removes them all on SIGTERM`, async () => {
      const servers = await Promise.all(profiles.map((profile) => home.nameServer(profile)));
      const addresses = servers.map(({ address }) => address);
      const dead = await home.deadAddress();
      const agent = home.agent(['-c', home.yaml([dead, ...addresses], topics)]);
      await agent.waitForOutput(/registered with 3 of 4 name servers/, 8_000);
      for (const address of addresses) expect(await home.topicsAt(address, topics)).to.deep.equal(topics);

      expect(await agent.stop('SIGTERM', 5_000)).to.deep.equal({ code: 0, signal: null });
      for (const address of addresses) expect(await home.topicsAt(address, topics)).to.equal(undefined);
      const failures = logLines(agent).filter(({ level }) => level === 'warn');
      expect(failures.map(({ namesrv }) => namesrv)).to.deep.equal([dead]);
    });

  it('registers with a name server that was restarted as soon as it is back', async () => {
    const [steady, lost] = [await home.nameServer(), await home.nameServer('4.9.7')];
    const port = Number(lost.address.split(':')[1]);
    const agent = home.agent(['-c', home.yaml([steady.address, lost.address], ['A', 'B'])]);
    await agent.waitForOutput(/registered with 2 of 2 name servers/, 8_000);
    await lost.close();
    const back = await home.nameServer('4.9.7', port);
    const began = performance.now();
    await nextEvent(back, 'broker.registered');
    expect(performance.now() - began).to.be.below(8_000);
    expect(await home.topicsAt(back.address, ['A', 'B'])).to.deep.equal(['A', 'B']);
    expect(await home.topicsAt(steady.address, ['A', 'B'])).to.deep.equal(['A', 'B']);
  });

  it('starts and waits, saying so once, while no name server is up, and registers with the first that is', async () => {
    const addresses = [await home.deadAddress(), await home.deadAddress()];
    const agent = home.agent(['-c', home.yaml(addresses, ['A'])]);
    await agent.waitForOutput(/waiting for one/, 8_000);
    const port = Number(addresses[1]?.split(':')[1]);
    const server = await home.nameServer('5.3.3', port);
    await nextEvent(server, 'broker.registered');
    await agent.waitForOutput(/"registered"/, 2_000);
    const waiting = logLines(agent).filter(({ msg }) => msg === 'registered with no name server, waiting for one');
    expect(waiting.map(({ waitingFor }) => waitingFor)).to.deep.equal([addresses]);
    await agent.stop();
    expect(await home.topicsAt(server.address, [])).to.equal(undefined);
  });

  it("follows a real broker's broker.conf and topics.json, waiting for its store and registering no topics while there is none (R29)", async () => {
    const server = await home.nameServer('4.7.1');
    const config = join(home.path, 'store', 'config');
    const file = home.write(
      'broker.conf',
      `brokerClusterName=C\nbrokerName=broker-a\nbrokerIP1=127.0.0.1\nlistenPort=20911\nstorePathRootDir=${home.path}/store\n` +
        'flushDiskType=ASYNC_FLUSH\n',
    );
    const agent = home.agent(['-c', file, '-n', server.address]);
    await agent.waitForOutput(/there is no such file.*waiting for the state directory/, 8_000);
    expect(await home.topicsAt(server.address, ['A'])).to.equal(undefined);
    await mkdir(join(home.path, 'store'));
    await agent.waitForOutput(/registered with 1 of 1 name servers/, 8_000);
    expect(await home.topicsAt(server.address, ['A'])).to.deep.equal([]);

    await mkdir(config, { recursive: true });
    const write = (text: string): void => {
      writeFileSync(join(config, 'topics.json.tmp'), text);
      renameSync(join(config, 'topics.json.tmp'), join(config, 'topics.json'));
    };
    write(topicsJsonText(['A', 'TBW102'], 3));
    await agent.waitForOutput(/"added":2/, 8_000);
    await eventually(
      async () => ((await home.topicsAt(server.address, ['A', 'TBW102']))?.length === 2 ? true : undefined),
      { what: 'the new topics in the routes', timeoutMillis: 5_000, intervalMillis: 20 },
    );
    const route = await home.client.getRouteInfoByTopic(server.address, 'A');
    expect(route?.brokerDatas[0]?.brokerAddrs).to.deep.equal(new Map([[0, '127.0.0.1:20911']]));
    writeFileSync(join(config, 'topics.json'), '{"dataVersion":{"cou');
    await agent.waitForOutput(/the last good table stays/, 8_000);
    expect(await home.topicsAt(server.address, ['A', 'TBW102'])).to.deep.equal(['A', 'TBW102']);
    expect(readdirSync(join(config, 'rmq-agent'))).to.deep.equal(['registered-topics.json']);
  });

  it('is gone within 5 s of SIGTERM though a name server hangs, and at once on a second signal', async () => {
    const frozen = createServer((socket) => socket.on('error', () => {})).listen(0, '127.0.0.1');
    await once(frozen, 'listening');
    const { port } = frozen.address() as { port: number };
    const server = await home.nameServer();
    const file = home.yaml([`127.0.0.1:${port}`, server.address], ['A', 'B'], ',"register":{"timeout":"500ms"}');
    const patient = home.agent(['-c', file]);
    await patient.waitForOutput(/registered with 1 of 2 name servers/, 8_000);
    const began = performance.now();
    patient.signal('SIGTERM');
    await nextEvent(server, 'broker.unregistered');
    expect(performance.now() - began).to.be.below(1_500);
    expect(await patient.waitForExit(5_000)).to.deep.equal({ code: 0, signal: null });

    const hasty = home.agent(['-c', file]);
    await hasty.waitForOutput(/registered with 1 of 2 name servers/, 8_000);
    hasty.signal('SIGTERM');
    await hasty.waitForOutput(/the agent stops/, 2_000);
    hasty.signal('SIGINT');
    expect(await hasty.waitForExit(1_000)).to.deep.equal({ code: 0, signal: null });
    frozen.close();
  }).timeout(20_000);

  it('registers once with --once, shows each outcome and what was registered, and ends with 1 unless all took it', async () => {
    const server = await home.nameServer();
    const dead = await home.deadAddress();
    const all = home.agent(['-c', home.yaml([server.address], ['One']), '--once']);
    expect(await all.waitForExit(8_000)).to.deep.equal({ code: 0, signal: null });
    const lines = all.output.split('\n');
    expect(lines[0]).to.match(/^name server +outcome +ms$/);
    expect(lines[1]).to.match(new RegExp(`^${server.address} +ok +\\d+$`));
    expect(lines).to.include.members([
      'broker-a (id 0, cluster C) at 127.0.0.1:10911, HA 127.0.0.1:10912',
      'topic  read  write  perm  order',
      'One    4     4      RW-   false',
      'registered with 1 of 1 name servers; they forget it as this process ends',
    ]);

    const some = home.agent(['-c', home.yaml([server.address, dead], ['One']), '--once']);
    expect(await some.waitForExit(8_000)).to.deep.equal({ code: 1, signal: null });
    expect(some.output).to.match(new RegExp(`\n${dead} +failed +\\d+ +connect to ${dead} failed: .*ECONNREFUSED`));
    expect(some.output).to.include('registered with 1 of 2 name servers');
  });

  it('shows with --dry-run what would be sent, sends nothing and leaves no state', async () => {
    let connections = 0;
    const listener = createServer(() => {
      connections += 1;
    }).listen(0, '127.0.0.1');
    await once(listener, 'listening');
    const { port } = listener.address() as { port: number };
    const file = home.yaml([`127.0.0.1:${port}`], ['One']);
    const dry = home.agent(['-c', file, '--dry-run', '--set', 'identity.permission=r']);
    expect(await dry.waitForExit(8_000)).to.deep.equal({ code: 0, signal: null });
    const lines = dry.output.split('\n');
    expect(lines.slice(0, 10).filter((line) => !line.startsWith('bodyCrc32'))).to.deep.equal([
      `would send to 127.0.0.1:${port}`,
      'after the same with an empty table, since it holds exactly one topic',
      '',
      'code: 103 REGISTER_BROKER',
      'version: 407',
      'brokerName: broker-a',
      'brokerAddr: 127.0.0.1:10911',
      'clusterName: C',
      'brokerId: 0',
      'haServerAddr: 127.0.0.1:10912',
    ]);
    const body = JSON.parse(lines.at(-2) ?? '');
    expect(body.topicConfigSerializeWrapper.topicConfigTable.One).to.include({ perm: 4, readQueueNums: 4 });
    expect(connections).to.equal(0);
    expect(readdirSync(home.path)).to.deep.equal(['agent.yaml']);
    listener.close();
  });

  it('says in one sentence why it cannot start', async () => {
    const blocked = home.write('blocked', '');
    const file = home.yaml(['127.0.0.1:1'], ['A']);
    const state = home.agent(['-c', file, '--once', '--set', `state.dir=${blocked}/state`]);
    expect((await state.waitForExit(8_000)).code).to.equal(1);
    expect(state.output.trim()).to.equal(
      `rmq-agent: cannot keep its state in ${blocked}/state: a file is where a directory should be`,
    );
    const torn = home.write('topics.json', '{');
    const once = home.agent(['-c', file, '--once', '--set', `topics.sources=[{file: ${torn}}]`]);
    expect((await once.waitForExit(8_000)).code).to.equal(1);
    expect(once.output.trim()).to.equal(`rmq-agent: no topics can be read from ${torn}; nothing was registered`);
    const few = home.agent(['-c', file, '--dry-run', '--set', 'topics.minimum=5']);
    expect((await few.waitForExit(8_000)).code).to.equal(1);
    expect(few.output.trim()).to.equal('rmq-agent: 1 topics are fewer than topics.minimum, 5; nothing was registered');
    const nobody = home.agent(['-c', file, '--once', '--set', 'namesrv={file: none}']);
    expect((await nobody.waitForExit(8_000)).code).to.equal(1);
    expect(nobody.output.trim()).to.equal(
      `rmq-agent: no name server is known by ${home.path}/none, there is no such file; nothing was registered`,
    );
    const wrong = home.agent(['-c', file, '--set', 'register.interval=5s']);
    expect((await wrong.waitForExit(8_000)).code).to.equal(78);
    expect(wrong.output.trim().split('\n')).to.deep.equal([
      'rmq-agent: the configuration cannot be used:',
      '--set register.interval: "5s" is not between 10000 ms and 60000 ms',
    ]);
    const usage = home.agent([]);
    expect((await usage.waitForExit(8_000)).code).to.equal(64);
  });

  it('runs on, registered with nobody, until a torn topics.json is whole', async () => {
    const server = await home.nameServer();
    const file = home.write('topics.json', '{');
    const agent = home.agent(['-c', home.yaml([server.address], []), '--set', `topics.sources=[{file: ${file}}]`]);
    await agent.waitForOutput(/waiting for topics/, 8_000);
    expect(await home.topicsAt(server.address, [])).to.equal(undefined);
    writeFileSync(file, topicsJsonText(['A', 'B'], 1));
    await agent.waitForOutput(/registered with 1 of 1 name servers/, 8_000);
    expect(await home.topicsAt(server.address, ['A', 'B'])).to.deep.equal(['A', 'B']);
    expect(messages(agent)).to.include.members(['the agent started', 'the topic table changed']);
  });

  for (const backup of [false, true])
    it(`waits for topics while topics.json${backup ? ' and its backup are pipes' : ' is a pipe'}, and stops with 0 at once`, async () => {
      const file = join(home.path, 'topics.json');
      execFileSync('mkfifo', backup ? [file, `${file}.bak`] : [file]);
      const agent = home.agent(['-c', home.yaml(['127.0.0.1:1'], []), '--set', `topics.sources=[{file: ${file}}]`]);
      await agent.waitForOutput(/waiting for topics/, 8_000);
      const problems = logLines(agent).map(({ problem }) => problem);
      expect(problems).to.include('it is no regular file');
      agent.signal('SIGTERM');
      expect(await agent.waitForExit(2_000)).to.deep.equal({ code: 0, signal: null });
    });

  // Elsewhere there is no /proc to count them in.
  if (process.platform === 'linux')
    it('has threads enough to look up names while many hang', async () => {
      const agent = home.agent(['-c', home.yaml(['127.0.0.1:1'], ['A'])]);
      await agent.waitForOutput(/waiting for one/, 8_000);
      const threads = readdirSync(`/proc/${agent.pid}/task`).length;
      expect(threads).to.be.above(64);
    });

  it('waits for its start delay', async () => {
    const server = await home.nameServer();
    const file = home.yaml([server.address], ['A'], ',"register":{"startDelay":"300ms"}');
    const agent = home.agent(['-c', file]);
    await agent.waitForOutput(/the agent started/, 8_000);
    await agent.waitForOutput(/registered with 1 of 1 name servers/, 8_000);
    const [started, registered] = ['the agent started', 'registered with 1 of 1 name servers'].map((wanted) =>
      Date.parse(String(logLines(agent).find(({ msg }) => msg === wanted)?.['time'])),
    );
    expect(Number(registered) - Number(started)).to.be.at.least(290);
  });

  it('runs through its launcher, from another directory and through a symbolic link', async () => {
    symlinkSync(launcher, join(home.path, 'rmq-agent'));
    const version = home.agent(['--version'], { command: join(home.path, 'rmq-agent'), cwd: '/' });
    expect((await version.waitForExit(8_000)).code).to.equal(0);
    expect(version.output).to.match(/^rmq-agent \d/);
  });
});
