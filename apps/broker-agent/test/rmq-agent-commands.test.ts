import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type CapturedProcess, eventually, freePort } from '@rmqns/test-kit';
import { expect } from 'chai';
import { AgentHome } from './agent-home.js';

describe('the commands of rmq-agent', () => {
  let home: AgentHome;
  beforeEach(() => {
    home = new AgentHome();
  });
  afterEach(() => home[Symbol.asyncDispose]());

  async function ended(agent: CapturedProcess): Promise<number | null> {
    return (await agent.waitForExit(8_000)).code;
  }

  it('validate: says everything that is wrong by line with 78, or that nothing is with 0', async () => {
    const good = home.agent(['validate', '-c', home.yaml(['127.0.0.1:9876'], ['A'])]);
    expect(await ended(good)).to.equal(0);
    expect(good.output).to.match(/agent\.yaml can be used\n$/);
    const file = home.write('bad.yaml', 'namesrv:\n  addresses: [":1"]\nadmin:\n  port: 65536\n  bnid: x\n');
    const bad = home.agent(['validate', '-c', file]);
    expect(await ended(bad)).to.equal(78);
    for (const place of [':2 namesrv.addresses', ':4 admin.port', ':5 admin.bnid', ' topics: ', ' state: '])
      expect(bad.output).to.contain(place);
    const none = home.agent(['validate', '-c', join(home.path, 'none.yaml')]);
    expect(await ended(none)).to.equal(1);
  });

  it('validate: says which file of TLS cannot be used as it is now, which an agent would wait for', async () => {
    const file = home.write(
      'agent.yaml',
      `namesrv:
  addresses: ["127.0.0.1:1"]
  tls:
    certPath: c.pem
    keyPath: agent.yaml
topics: { sources: [ { static: [] } ] }
state: { dir: state }
`,
    );
    const absent = home.agent(['validate', '-c', file]);
    expect(await ended(absent)).to.equal(78);
    expect(absent.output).to.contain(
      `agent.yaml:4 namesrv.tls.certPath: cannot read ${home.path}/c.pem: there is no such file`,
    );
    home.write('c.pem', 'no certificate');
    const wrong = home.agent(['validate', '-c', file]);
    expect(await ended(wrong)).to.equal(78);
    expect(wrong.output).to.match(/agent\.yaml:3 namesrv\.tls: the files cannot be used: /);
    const properties = home.write('broker.conf', 'namesrvAddr=a:1\nuseTLS=true\nbrokerIP1=127.0.0.1\n');
    const env = { JAVA_OPT: '-Dtls.client.trustCertPath=/none/ca.pem -Dtls.config.file=/none' };
    const broker = home.agent(['validate', '-c', properties], { env });
    expect(await ended(broker)).to.equal(78);
    expect(broker.output).to.contain('system property tls.client.trustCertPath: cannot read /none/ca.pem');
  });

  it('shows with --dry-run that it would sign and speak TLS, and never the secret key', async () => {
    home.write('key', 'a secret that nobody sees\n');
    const signed = home.yaml(['127.0.0.1:1'], ['A', 'B']);
    const credentials = ['--set', 'namesrv.credentials={accessKey: agent, secretKeyFile: key}'];
    const dry = home.agent(['-c', signed, '--dry-run', ...credentials, '--set', 'namesrv.tls={}']);
    expect(await ended(dry)).to.equal(0);
    expect(dry.output).to.contain('would send to 127.0.0.1:1, over TLS');
    expect(dry.output).to.contain(
      `AccessKey: agent\nSignature: made with the secret key of ${home.path}/key as it is sent`,
    );
    expect(dry.output).to.not.contain('nobody sees');
    home.write('key', '');
    const empty = home.agent(['validate', '-c', signed, ...credentials]);
    expect(await ended(empty)).to.equal(78);
    expect(empty.output).to.contain(`namesrv.credentials.secretKeyFile: cannot read ${home.path}/key: it is empty`);
  });

  it('topics: shows what would be sent and where it is from, and writes nothing', async () => {
    const file = home.yaml(['127.0.0.1:9876'], ['A', 'B'], ',"register":{"includeBrokerTopics":true}');
    const table = home.agent(['topics', '-c', file]);
    expect(await ended(table)).to.equal(0);
    expect(table.output.split('\n').map((line) => line.split(/ {2,}/))).to.deep.include.members([
      ['topic', 'read', 'write', 'perm', 'order', 'source'],
      ['A', '4', '4', 'RW-', 'false', 'static'],
    ]);
    const json = home.agent(['topics', '-c', file, '-o', 'json']);
    expect(await ended(json)).to.equal(0);
    const topics = JSON.parse(json.output) as { topic: string; source: string }[];
    expect(topics.map(({ topic, source }) => [topic, source])).to.have.deep.members([
      ['A', 'static'],
      ['B', 'static'],
      ['C', 'includeBrokerTopics'],
      ['broker-a', 'includeBrokerTopics'],
    ]);
    expect(existsSync(join(home.path, 'state'))).to.equal(false);
    const absent = home.write(
      'broker.conf',
      `brokerIP1=127.0.0.1\nnamesrvAddr=127.0.0.1:1\nstorePathRootDir=${home.path}/s\n`,
    );
    mkdirSync(join(home.path, 's', 'config'), { recursive: true });
    writeFileSync(join(home.path, 's', 'config', 'topics.json'), '{');
    const none = home.agent(['topics', '-c', absent]);
    expect(await ended(none)).to.equal(1);
  });

  it('status: asks the running agent, and is 0 when it is ready and 1 when it waits or nobody answers', async () => {
    const server = await home.nameServer();
    const port = String(await freePort());
    const file = home.yaml([server.address], ['A', 'B']);
    const asked = (...more: string[]): CapturedProcess => home.agent(['status', ...more, '--admin-port', port]);
    const nobody = asked('-c', file);
    expect(await ended(nobody)).to.equal(1);
    expect(nobody.output).to.match(
      new RegExp(`^rmq-agent: no agent tells its status at 127.0.0.1:${port}: .*ECONNREFUSED`),
    );
    const agent = home.agent(['-c', file, '--admin-port', port]);
    await agent.waitForOutput(/registered with 1 of 1/, 8_000);
    const table = asked();
    expect(await ended(table)).to.equal(0);
    expect(table.output).to.contain(
      'broker-a (id 0, cluster C) at 127.0.0.1:10911\nready, registering, the node is passing',
    );
    const json = asked('-o', 'json');
    expect(await ended(json)).to.equal(0);
    expect(JSON.parse(json.output)).to.include({ schema: 1, ready: true });
    await server.close();
    const waits = await eventually(
      async () => {
        const again = asked();
        return (await ended(again)) === 1 ? again : undefined;
      },
      { what: 'an agent that waits', timeoutMillis: 8_000, intervalMillis: 20 },
    );
    expect(waits.output).to.contain('not ready, registering');
    expect(waits.output).to.contain('waiting for any name server');
    const off = home.agent(['status', '-c', file, '--admin-port', '0']);
    expect(await ended(off)).to.equal(1);
  }).timeout(20_000);

  it('unregister: takes the node out of all name servers, and leaves another of its name alone', async () => {
    const [one, other] = [await home.nameServer('4.7.1'), await home.nameServer('5.3.3')];
    const file = home.yaml([one.address, other.address], ['A', 'B'], ',"register":{"unregisterOnStop":false}');
    const agent = home.agent(['-c', file]);
    await agent.waitForOutput(/registered with 2 of 2/, 8_000);
    const leaving = home.agent(['unregister', '-c', file]);
    expect(await ended(leaving)).to.equal(0);
    expect(leaving.output).to.match(/is out of 2 of 2 name servers/);
    for (const { address } of [one, other]) expect(await home.topicsAt(address, [])).to.equal(undefined);

    const stranger = home.agent(['-c', file, '--set', 'identity.port=20911', '--set', `state.dir=${home.path}/other`]);
    await stranger.waitForOutput(/registered with 2 of 2/, 8_000);
    const dead = await home.deadAddress();
    const again = home.agent(['unregister', '-c', file, '-n', `${one.address};${dead}`]);
    expect(await ended(again)).to.equal(1);
    expect(again.output).to.match(/was not there +another node has its name and id: 127\.0\.0\.1:20911/);
    expect(again.output).to.match(/failed +.*ECONNREFUSED|failed +.*connect/);
    expect(await home.topicsAt(one.address, [])).to.deep.equal([]);
  }).timeout(20_000);

  it('SIGHUP: takes the file as it is now, and keeps the former when it is wrong, saying all that is', async () => {
    const server = await home.nameServer();
    const file = home.yaml([server.address], ['A', 'B']);
    const agent = home.agent(['-c', file]);
    await agent.waitForOutput(/registered with 1 of 1/, 8_000);
    home.yaml([server.address], ['C', 'D']);
    agent.signal('SIGHUP');
    await agent.waitForOutput(/read again and is in effect/, 8_000);
    expect(await home.topicsAt(server.address, ['C', 'D'])).to.deep.equal(['C', 'D']);
    home.write('agent.yaml', 'namesrv: {addresses: [":1"]}\nadmin: {port: x}\n');
    agent.signal('SIGHUP');
    await agent.waitForOutput(/not taken, the former one stays: .*admin\.port: .*namesrv\.addresses: /, 8_000);
    expect(await home.topicsAt(server.address, ['C', 'D'])).to.deep.equal(['C', 'D']);
    expect(await agent.stop('SIGTERM', 5_000)).to.deep.equal({ code: 0, signal: null });
  }).timeout(20_000);

  it('tells systemd when it is ready, also where it waits for its state directory, reloads, lives and stops', async () => {
    const told = join(home.path, 'told');
    const bin = join(home.path, 'bin');
    mkdirSync(bin);
    writeFileSync(join(bin, 'systemd-notify'), `#!/bin/sh\necho "$*" >> ${told}\n`);
    chmodSync(join(bin, 'systemd-notify'), 0o755);
    const server = await home.nameServer();
    const env = { PATH: `${bin}:${process.env['PATH']}`, NOTIFY_SOCKET: '/run/nobody', WATCHDOG_USEC: '100000' };
    const agent = home.agent(['-c', home.yaml([server.address], ['A', 'B'])], { env });
    const hear = (pattern: RegExp): Promise<true> =>
      eventually(async () => (existsSync(told) && pattern.test(readFileSync(told, 'utf8')) ? true : undefined), {
        what: String(pattern),
        timeoutMillis: 8_000,
        intervalMillis: 20,
      });
    await hear(/^READY=1$/m);
    await hear(/^WATCHDOG=1$/m);
    agent.signal('SIGHUP');
    await hear(/^RELOADING=1 MONOTONIC_USEC=\d+$[\s\S]*^READY=1$/m);
    expect(await agent.stop('SIGTERM', 5_000)).to.deep.equal({ code: 0, signal: null });
    expect(readFileSync(told, 'utf8')).to.match(/^STOPPING=1$/m);
    writeFileSync(told, '');
    home.write('no-directory', '');
    const waiting = home.agent(['-c', home.yaml([server.address], ['A']), '--set', 'state.dir=no-directory/state'], {
      env,
    });
    await hear(/^READY=1$/m);
    expect(await waiting.stop('SIGTERM', 5_000)).to.deep.equal({ code: 0, signal: null });
    expect(readFileSync(told, 'utf8')).to.match(/STOPPING=1\s*$/);
  });

  it('--once, status and unregister: say which name cannot be looked up, and do not take the others for all', async () => {
    const server = await home.nameServer();
    const port = String(await freePort());
    const file = home.yaml([server.address], ['A', 'B']);
    const more = ['-c', file, '--set', 'namesrv.dns=true', '-n', `${server.address};nobody.invalid:9876`];
    const once = home.agent([...more, '--once']);
    expect(await ended(once)).to.equal(1);
    expect(once.output).to.match(/^not all name servers are known: nobody\.invalid: .+$/m);
    const agent = home.agent([...more, '--admin-port', port]);
    await agent.waitForOutput(/registered with 1 of 1/, 8_000);
    const shown = home.agent(['status', '--admin-port', port]);
    expect(await ended(shown)).to.equal(0);
    expect(shown.output).to.match(/^DNS of list: nobody\.invalid: .+$/m);
    const leaving = home.agent(['unregister', ...more]);
    expect(await ended(leaving)).to.equal(1);
    expect(leaving.output).to.match(/is out of 1 of 1 name servers/);
    expect(leaving.output).to.match(/^not all name servers are known: nobody\.invalid: .+$/m);
  }).timeout(30_000);
});
