import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { namesrvOptionNames } from '@rmqns/namesrv';
import { expect } from 'chai';
import { environmentName, readEnvironment } from '../src/environment.js';
import { readJavaOptions } from '../src/java-options.js';

describe('readEnvironment', () => {
  it('knows every option by its name in upper case', () => {
    for (const option of namesrvOptionNames) {
      const name = environmentName(option);
      expect(name).to.match(/^RMQ_NAMESRV_[A-Z_]+$/);
      expect(readEnvironment({ [name]: 'x' })).to.deep.equal([
        { key: option, text: 'x', source: 'environment', where: `environment ${name}, ` },
      ]);
    }
  });

  it('writes the names as people expect them', () => {
    expect(environmentName('listenPort')).to.equal('RMQ_NAMESRV_LISTEN_PORT');
    expect(environmentName('tls.server.keyPath')).to.equal('RMQ_NAMESRV_TLS_SERVER_KEY_PATH');
    expect(environmentName('useTLS')).to.equal('RMQ_NAMESRV_USE_TLS');
  });

  it('reads the value out of the file that a variable with _FILE names', () => {
    const directory = mkdtempSync(join(tmpdir(), 'rmqns-test-'));
    try {
      const path = join(directory, 'secret');
      writeFileSync(path, 'test env\n');
      expect(readEnvironment({ RMQ_NAMESRV_PRODUCT_ENV_NAME_FILE: path })).to.deep.equal([
        {
          key: 'productEnvName',
          text: 'test env',
          source: 'environment',
          where: 'environment RMQ_NAMESRV_PRODUCT_ENV_NAME_FILE, ',
        },
      ]);
      const missing = join(directory, 'missing');
      expect(readEnvironment({ RMQ_NAMESRV_LISTEN_PORT_FILE: missing })).to.deep.equal([
        {
          complaint: `environment RMQ_NAMESRV_LISTEN_PORT_FILE, listenPort: cannot read ${missing}: there is no such file`,
        },
      ]);
      expect(readEnvironment({ RMQ_NAMESRV_LISTEN_PORT_FILE: path, RMQ_NAMESRV_LISTEN_PORT: '1' })).to.deep.include({
        complaint:
          'environment RMQ_NAMESRV_LISTEN_PORT_FILE, listenPort: RMQ_NAMESRV_LISTEN_PORT is set, too; remove one of the two',
      });
    } finally {
      rmSync(directory, { recursive: true });
    }
  });

  it('passes an unknown variable on under a name that shows what was meant', () => {
    expect(readEnvironment({ RMQ_NAMESRV_LISTEN__PROT: '1' })[0]).to.include({ key: 'listenProt' });
  });

  it('leaves out empty variables and those of others', () => {
    expect(
      readEnvironment({ RMQ_NAMESRV_LISTEN_PORT: '', ROCKETMQ_HOME: '', NAMESRV_ADDR: 'x', PATH: '/' }),
    ).to.deep.equal([]);
  });
});

describe('readJavaOptions', () => {
  const shown = (settings: readonly { readonly key: string; readonly text: string }[]) =>
    settings.map(({ key, text }) => `${key}=${text}`);

  it('takes the format of headers as it is set for Java, the system property after the variable', () => {
    const { properties, ignored } = readJavaOptions({
      JAVA_OPT: '-Xmx1g -Drocketmq.serialize.type=JSON "-Drocketmq.serialize.type=ROCKETMQ"',
      ROCKETMQ_SERIALIZE_TYPE: 'JSON',
    });
    expect(shown(properties)).to.deep.equal(['serializeType=JSON', 'serializeType=JSON', 'serializeType=ROCKETMQ']);
    expect(ignored).to.deep.equal(['-Xmx1g']);
  });

  it('takes system properties of TLS, and those by which the product environment is found before NAMESRV_ADDR', () => {
    const { properties, productAddresses, ignored } = readJavaOptions({
      JAVA_OPT: '-Dtls.server.mode=enforcing -Drocketmq.namesrv.addr=a:1;b:2 -Drocketmq.namesrv.domain=ns.example',
      NAMESRV_ADDR: 'c:3',
    });
    expect(shown(properties)).to.deep.equal(['tls.server.mode=enforcing']);
    expect(productAddresses).to.deep.equal({ namesrvAddr: 'a:1;b:2', domain: 'ns.example', subgroup: undefined });
    expect(readJavaOptions({ NAMESRV_ADDR: 'c:3' }).productAddresses.namesrvAddr).to.equal('c:3');
    expect(ignored).to.deep.equal([]);
  });

  it('takes system properties that are the defaults of keys, and those of JAVA_OPT_EXT after those of JAVA_OPT', () => {
    const { defaults, userHome } = readJavaOptions({
      ROCKETMQ_HOME: '/a',
      JAVA_OPT_EXT: '-Dcom.rocketmq.remoting.frameMaxLength=2048 -Duser.home=/root',
      JAVA_OPT: '-Drocketmq.home.dir=/b -Dcom.rocketmq.remoting.frameMaxLength=1024',
    });
    expect(shown(defaults)).to.deep.equal([
      'rocketmqHome=/a',
      'rocketmqHome=/b',
      'maxFrameBytes=1024',
      'maxFrameBytes=2048',
    ]);
    expect(userHome).to.equal('/root');
  });

  it('names what else is there without its value, which may be a password', () => {
    const { ignored } = readJavaOptions({ JAVA_OPT: '-server "-Dsome.password=hidden" -javaagent:a.jar=token' });
    expect(ignored).to.deep.equal(['-server', '-Dsome.password', '-javaagent:a.jar']);
  });
});
