import { namesrvOptionNames } from '@rmqns/namesrv';
import { expect } from 'chai';
import { environmentName, readEnvironment } from '../src/environment.js';

describe('readEnvironment', () => {
  it('knows every option by its name in upper case', () => {
    for (const option of namesrvOptionNames) {
      const name = environmentName(option);
      expect(name).to.match(/^RMQ_NAMESRV_[A-Z_]+$/);
      expect(readEnvironment({ [name]: 'x' })).to.deep.equal([
        { key: option, text: 'x', where: `environment ${name}, ` },
      ]);
    }
  });

  it('writes the names as people expect them', () => {
    expect(environmentName('listenPort')).to.equal('RMQ_NAMESRV_LISTEN_PORT');
    expect(environmentName('useTLS')).to.equal('RMQ_NAMESRV_USE_TLS');
  });

  it('takes ROCKETMQ_HOME, unless the option has its own variable', () => {
    const environment = { RMQ_NAMESRV_ROCKETMQ_HOME: '/b', ROCKETMQ_HOME: '/a' };
    expect(readEnvironment(environment).map(({ key, text }) => [key, text])).to.deep.equal([
      ['rocketmqHome', '/a'],
      ['rocketmqHome', '/b'],
    ]);
  });

  it('takes the format of headers as it is set for Java, the system property before the variable', () => {
    const environment = {
      JAVA_OPT: '-Xmx1g -Drocketmq.serialize.type=JSON "-Drocketmq.serialize.type=ROCKETMQ"',
      ROCKETMQ_SERIALIZE_TYPE: 'JSON',
    };
    expect(readEnvironment(environment).map(({ key, text }) => [key, text])).to.deep.equal([
      ['serializeType', 'JSON'],
      ['serializeType', 'ROCKETMQ'],
    ]);
  });

  it('passes an unknown variable on under a name that shows what was meant', () => {
    expect(readEnvironment({ RMQ_NAMESRV_LISTEN__PROT: '1' })[0]?.key).to.equal('listenProt');
  });

  it('leaves out empty variables and those of others', () => {
    expect(
      readEnvironment({ RMQ_NAMESRV_LISTEN_PORT: '', ROCKETMQ_HOME: '', NAMESRV_ADDR: 'x', PATH: '/' }),
    ).to.deep.equal([]);
  });
});
