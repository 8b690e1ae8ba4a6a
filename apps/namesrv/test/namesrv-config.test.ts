import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Exit } from '@rmqns/program';
import { expect } from 'chai';
import { parseCliArguments } from '../src/cli-arguments.js';
import { loadNamesrvConfig, printConfigItems } from '../src/namesrv-config.js';

describe('loadNamesrvConfig', () => {
  let directory: string;
  let file: string;
  beforeEach(() => {
    directory = mkdtempSync(join(tmpdir(), 'rmqns-test-'));
    file = join(directory, 'namesrv.properties');
  });
  afterEach(() => rmSync(directory, { recursive: true }));

  const load = (args: readonly string[], environment: Record<string, string> = {}) =>
    loadNamesrvConfig(parseCliArguments(args), environment, '/home/someone');

  it('keeps its files under the home directory by default', () => {
    const { options } = load([]);
    expect(options.kvConfigPath).to.equal('/home/someone/namesrv/kvConfig.json');
    expect(options.configStorePath).to.equal('/home/someone/namesrv/namesrv.properties');
  });

  it('lets the environment overrule the file and flags the environment', () => {
    writeFileSync(file, 'listenPort=1\nbindAddress=127.0.0.1\nprofile=4.7.1\n');
    const { options } = load(['-c', file, '--port', '3'], {
      RMQ_NAMESRV_LISTEN_PORT: '2',
      RMQ_NAMESRV_PROFILE: '4.9.7',
    });
    expect(options).to.include({ listenPort: 3, bindAddress: '127.0.0.1', profile: '4.9.7' });
  });

  it('takes the last of repeated keys, and of repeated flags', () => {
    writeFileSync(file, 'listenPort=1\nlistenPort=2\n');
    expect(load(['-c', file]).options.listenPort).to.equal(2);
    expect(load(['--port', '3', '--set', 'listenPort=4']).options.listenPort).to.equal(4);
    expect(load(['--set', 'listenPort=4', '--port', '3']).options.listenPort).to.equal(3);
  });

  it('writes updates to the file it read, unless a flag says otherwise', () => {
    writeFileSync(file, 'configStorePath=/elsewhere\n');
    expect(load(['-c', file]).options.configStorePath).to.equal(file);
    expect(load(['-c', file, '--set', 'configStorePath=/x']).options.configStorePath).to.equal('/x');
  });

  it('keeps everything after the first equals sign of --set', () => {
    expect(load(['--set', 'productEnvName=a=b']).options.productEnvName).to.equal('a=b');
  });

  it('takes ROCKETMQ_HOME without listing it as without effect', () => {
    const config = load([], { ROCKETMQ_HOME: '/opt/rocketmq' });
    expect(config.options.rocketmqHome).to.equal('/opt/rocketmq');
    expect(config.withoutEffect).to.deep.equal([]);
  });

  it('lists keys without effect once', () => {
    writeFileSync(file, 'serverWorkerThreads=1\nserverWorkerThreads=2\nuseTLS=false\n');
    expect(load(['-c', file]).withoutEffect).to.deep.equal(['serverWorkerThreads', 'useTLS']);
  });

  it('warns of unknown keys, wherever they are', () => {
    writeFileSync(file, '\nfoo.bar=1\n');
    const { warnings } = load(['-c', file, '--set', 'lisenPort=1'], { RMQ_NAMESRV_XYZ: '1' });
    expect(warnings).to.deep.equal([
      `${file}:2 foo.bar: there is no such option`,
      'environment RMQ_NAMESRV_XYZ, xyz: there is no such option',
      '--set lisenPort: there is no such option (did you mean listenPort?)',
    ]);
  });

  it('refuses the embedded controller with the reason', () => {
    expect(() => load(['--set', 'enableControllerInNamesrv=true'])).to.throw(Exit, /no embedded controller/);
  });

  it('reads a file that is not UTF-8 as Java does', () => {
    writeFileSync(file, Buffer.from('productEnvName=caf\xe9\n', 'latin1'));
    expect(load(['-c', file]).options.productEnvName).to.equal('café');
  });

  it('prints as effective scan interval that of the profile', () => {
    expect(printConfigItems(load(['--set', 'profile=4.9.7']).options)).to.include(
      '\nscanNotActiveBrokerInterval=10000\n',
    );
  });
});
