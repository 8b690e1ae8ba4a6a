import { expect } from 'chai';
import { readBrokerConf } from '../src/broker-conf.js';
import { thisMachine } from '../src/this-machine.js';

describe('a machine that does not tell the home directory and its interfaces', () => {
  const machine = thisMachine(
    {},
    {
      hostname: () => 'node-7',
      homedir: () => {
        throw new Error('uv_os_homedir returned ENOENT');
      },
      networkInterfaces: () => {
        throw new Error('uv_interface_addresses returned EAFNOSUPPORT');
      },
    },
  );
  const problems = (text: string): readonly string[] | undefined =>
    readBrokerConf('broker.conf', Buffer.from(text), [], machine).problems;

  it('is enough for a configuration that says both', () => {
    expect(problems('namesrvAddr=a:1\nbrokerIP1=10.0.0.1\nstorePathRootDir=/data/store')).to.equal(undefined);
  });

  it('is told as what lacks in one that does not', () => {
    const told = problems('namesrvAddr=a:1') ?? [];
    expect(told.find((line) => line.includes('storePathRootDir'))).to.equal(
      'storePathRootDir: must be given: the default is in the home directory, and this user has none',
    );
    expect(told.find((line) => line.includes('brokerIP1'))).to.contain(
      'this machine has no address that others can dial',
    );
  });
});
