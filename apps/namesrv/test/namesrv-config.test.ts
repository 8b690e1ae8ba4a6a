import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Exit } from '@rmqns/program';
import { expect } from 'chai';
import { parseCliArguments } from '../src/cli-arguments.js';
import { loadNamesrvConfig } from '../src/namesrv-config.js';
import { printConfig, printConfigAsJson } from '../src/print-config.js';
import { printConfigItems } from '../src/print-config-items.js';

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

  it('names unknown keys also where the configuration cannot be used for other reasons', () => {
    writeFileSync(file, 'listenPort=x\nlistenPrt=5\n');
    expect(() => load(['-c', file], { RMQ_NAMESRV_BIND_ADRESS: '::1' }))
      .to.throw(Exit)
      .that.has.property('message')
      .that.satisfies((message: string) => {
        expect(message.split('\n').slice(1)).to.deep.equal([
          `${file}:1:12 listenPort: "x" is no whole number`,
          `warning: ${file}:2:1 listenPrt: there is no such option (did you mean listenPort?)`,
          'warning: environment RMQ_NAMESRV_BIND_ADRESS, bindAdress: there is no such option (did you mean bindAddress?)',
        ]);
        return true;
      });
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
    writeFileSync(file, 'serverWorkerThreads=1\nserverWorkerThreads=2\ndisableCallbackExecutor=false\n');
    expect(load(['-c', file]).withoutEffect).to.deep.equal(['serverWorkerThreads', 'disableCallbackExecutor']);
  });

  it('warns of unknown keys, wherever they are', () => {
    writeFileSync(file, '\nfoo.bar=1\n');
    const { warnings } = load(['-c', file, '--set', 'lisenPort=1'], { RMQ_NAMESRV_XYZ: '1' });
    expect(warnings).to.deep.equal([
      `${file}:2:1 foo.bar: there is no such option`,
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

  it('lets the file overrule what is set for Java, as in Java', () => {
    writeFileSync(file, 'serverSocketBacklog=5\nrocketmqHome=/c\n');
    const environment = {
      ROCKETMQ_HOME: '/a',
      JAVA_OPT: '-Xmx1g -Drocketmq.home.dir=/b -Dcom.rocketmq.remoting.socket.backlog=4 -Duser.home=/root',
    };
    expect(load([], environment).options).to.include({
      rocketmqHome: '/b',
      serverSocketBacklog: 4,
      kvConfigPath: '/root/namesrv/kvConfig.json',
    });
    expect(load(['-c', file], environment).options).to.include({ rocketmqHome: '/c', serverSocketBacklog: 5 });
    expect(load([], environment).ignoredJavaOptions).to.deep.equal(['-Xmx1g']);
  });

  it('says of keys of later versions that they are not supported yet, and refuses those that would protect', () => {
    expect(load(['--admin-port', '9879', '--set', 'eventsHistory=1']).warnings).to.deep.equal([
      '--admin-port adminPort: not supported yet (the admin pages over HTTP); it has no effect',
      '--set eventsHistory: not supported yet (the history of events); it has no effect',
    ]);
    expect(() => load(['--lenient-config', '--set', 'adminAclEnable=true'])).to.throw(
      Exit,
      /adminAclEnable: not supported yet .*nothing is protected/,
    );
  });

  describe('leniently', () => {
    const lenient = (...args: string[]) => load(['--lenient-config', ...args]);

    it('keeps the value that was there where a number does not parse, and takes what is not true for false, as Java does', () => {
      writeFileSync(file, 'listenPort=1000\nlistenPort=98760\nenableTopicList=yes\nscanNotActiveBrokerInterval=5s\n');
      const { options, warnings } = lenient('-c', file, '--set', 'profile=5');
      expect(options).to.include({ listenPort: 1000, enableTopicList: false, profile: '5.3.3' });
      expect(options.scanNotActiveBrokerInterval).to.equal(undefined);
      expect(warnings).to.deep.equal([
        `${file}:2:12 listenPort: "98760" is not between 0 and 65535; it is 1000`,
        `${file}:3:17 enableTopicList: "yes" is neither true nor false; it is false`,
        `${file}:4:29 scanNotActiveBrokerInterval: "5s" is no whole number; it is not set`,
        '--set profile: "5" is none of 4.7.1, 4.9.7, 5.3.3; it is 5.3.3',
      ]);
    });

    it('still refuses the embedded controller, and a file that Java does not read', () => {
      expect(() => lenient('--set', 'enableControllerInNamesrv=true')).to.throw(Exit, /no embedded controller/);
      writeFileSync(file, 'a=\\u12\n');
      expect(() => lenient('-c', file)).to.throw(Exit, `${file}:1:3: malformed escape`);
    });
  });

  describe('what is printed', () => {
    it('is with -p what the release prints, with its own scan interval and buffers', () => {
      const items = (profile: string) => printConfigItems(load(['--set', `profile=${profile}`]).options).split('\n');
      expect(items('4.7.1')).to.have.length(17).and.include('serverSocketSndBufSize=65535');
      expect(items('4.9.7')).to.have.length(20).and.include('serverSocketSndBufSize=0');
      expect(items('5.3.3'))
        .to.have.length(60)
        .and.include.members(['scanNotActiveBrokerInterval=5000', 'isScanAvailableNameSrv=true']);
    });

    it('is with --print-config every option and where it was set', () => {
      writeFileSync(file, '\n listenPort = 1\n');
      const config = load(['-c', file, '--set', 'logLevel=debug'], { RMQ_NAMESRV_BIND_ADDRESS: '127.0.0.1' });
      const lines = printConfig(config).split('\n');
      const line = (name: string) => lines.find((each) => each.startsWith(`${name}=`))?.replace(/ +/, ' ');
      expect(line('listenPort')).to.equal(`listenPort=1 # file ${file}:2:2`);
      expect(line('bindAddress')).to.equal('bindAddress=127.0.0.1 # environment RMQ_NAMESRV_BIND_ADDRESS');
      expect(line('logLevel')).to.equal('logLevel=debug # command line --set');
      expect(line('configStorePath')).to.equal(`configStorePath=${file} # command line -c`);
      expect(line('rocketmqHome')).to.equal('rocketmqHome= # default');
      const json = JSON.parse(printConfigAsJson(config)) as Record<string, unknown>;
      expect(json['listenPort']).to.deep.equal({ value: 1, source: 'file', place: `${file}:2:2` });
      expect(json['rocketmqHome']).to.deep.equal({ value: null, source: 'default' });
    });
  });
});
