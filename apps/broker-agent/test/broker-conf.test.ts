import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Setting } from '@rmqns/program';
import { expect } from 'chai';
import { readBrokerConf } from '../src/broker-conf.js';
import { surroundings } from './surroundings.js';

function read(text: string, overrides: readonly Setting[] = [], machine = surroundings) {
  return readBrokerConf('broker.conf', Buffer.from(text), overrides, machine);
}

function config(text: string, overrides: readonly Setting[] = [], machine = surroundings) {
  const loaded = read(text, overrides, machine);
  if (loaded.problems !== undefined) throw new Error(loaded.problems.join('\n'));
  return loaded;
}

describe('broker.conf', () => {
  it('is read as the broker reads the one that Apache ships, with its other keys accepted', () => {
    const loaded = config(
      [
        '# Licensed to nobody',
        'brokerClusterName = DefaultCluster',
        'brokerName = broker-a',
        'brokerId = 0',
        'deleteWhen = 04',
        'fileReservedTime = 48',
        'brokerRole = ASYNC_MASTER',
        'flushDiskType = ASYNC_FLUSH',
        'namesrvAddr=ns-0:9876;ns-1:9876',
      ].join('\n'),
    );
    expect(loaded.config).to.deep.equal({
      namesrvAddresses: ['ns-0:9876', 'ns-1:9876'],
      identity: {
        clusterName: 'DefaultCluster',
        brokerName: 'broker-a',
        brokerId: 0,
        roleOf: undefined,
        brokerAddr: '10.1.2.3:10911',
        haServerAddr: '10.1.2.3:10912',
        heartbeatTimeoutMillis: undefined,
        enableActingMaster: false,
        brokerPermission: 6,
        filterServers: [],
      },
      register: {
        periodMillis: 30_000,
        timeoutMillis: 6_000,
        compressed: false,
        forceRegister: true,
        splitSize: undefined,
        heartbeatIntervalMillis: undefined,
        compatibleWithOldNameSrv: true,
        changesOnly: false,
        onConflict: 'standBack',
        includeBrokerTopics: false,
        unregisterOnStop: true,
        startDelayMillis: 0,
      },
      topics: {
        sources: [{ kind: 'file', path: '/home/rocketmq/store/config/topics.json' }],
        debounceMillis: 500,
        minimum: 0,
      },
      health: { onFailing: 'unregister' },
      stateDirectory: '/home/rocketmq/store/config/rmq-agent',
      storeDirectory: '/home/rocketmq/store',
      admin: { bind: '127.0.0.1', port: 9_881, hosts: [] },
    });
    expect(loaded.notes).to.deep.equal([
      'brokerIP1 is not set: took 10.1.2.3 of interface eth0, there are also 192.168.0.9 of eth1',
    ]);
  });

  it('is read with every key that the agent understands', () => {
    const { config: all, notes } = config(
      [
        'brokerClusterName=C',
        'brokerName=b',
        'brokerId=3',
        'brokerRole=SLAVE',
        'brokerIP1=10.0.0.1',
        'brokerIP2=10.9.0.1',
        'listenPort=20911',
        'haListenPort=30000',
        'namesrvAddr=ns:9876;;ns:9876;',
        'brokerPermission=4',
        'storePathRootDir=/data/store',
        'registerNameServerPeriod=45000',
        'registerBrokerTimeoutMills=24000',
        'forceRegister=false',
        'compressedRegister=true',
        'enableSlaveActingMaster=true',
        'enableControllerMode=true',
        'brokerNotActiveTimeoutMillis=12000',
        'brokerHeartbeatInterval=2000',
        'compatibleWithOldNameSrv=false',
        'enableSplitRegistration=true',
        'splitRegistrationSize=5',
      ].join('\n'),
    );
    expect(all.identity).to.deep.equal({
      clusterName: 'C',
      brokerName: 'b',
      brokerId: 3,
      roleOf: '10.0.0.1:20911',
      brokerAddr: '10.0.0.1:20911',
      haServerAddr: '10.9.0.1:30000',
      heartbeatTimeoutMillis: 12_000,
      enableActingMaster: true,
      brokerPermission: 4,
      filterServers: [],
    });
    expect(all.namesrvAddresses).to.deep.equal(['ns:9876']);
    expect(all.register).to.include({
      periodMillis: 45_000,
      timeoutMillis: 24_000,
      forceRegister: false,
      compressed: true,
      splitSize: 5,
      heartbeatIntervalMillis: 2_000,
      compatibleWithOldNameSrv: false,
    });
    expect(all.topics.sources).to.deep.equal([{ kind: 'file', path: '/data/store/config/topics.json' }]);
    expect(all.stateDirectory).to.equal('/data/store/config/rmq-agent');
    expect(notes).to.deep.equal([]);
  });

  for (const [written, effective] of [
    [1_000, 10_000],
    [45_000, 45_000],
    [100_000, 60_000],
  ])
    it(`has a registerNameServerPeriod of ${written} count as ${effective}`, () => {
      const { register } = config(`namesrvAddr=a:1\nregisterNameServerPeriod=${written}`).config;
      expect(register.periodMillis).to.equal(effective);
    });

  it('forces the id of a master to 0, and says so', () => {
    const loaded = config('namesrvAddr=a:1\nbrokerIP1=10.0.0.1\nbrokerRole=SYNC_MASTER\nbrokerId=2');
    expect(loaded.config.identity.brokerId).to.equal(0);
    expect(loaded.notes).to.deep.equal(['brokerId 2 of a SYNC_MASTER counts as 0, as in a broker']);
  });

  it('has the HA port follow the listen port', () => {
    expect(config('namesrvAddr=a:1\nlistenPort=11000').config.identity.haServerAddr).to.equal('10.1.2.3:11001');
  });

  it('keeps a trailing blank in a name as Java does, and says so', () => {
    const loaded = config('namesrvAddr=a:1\nbrokerIP1=h\nbrokerName=b ');
    expect(loaded.config.identity.brokerName).to.equal('b ');
    expect(loaded.notes).to.deep.equal(['brokerName "b " ends in a blank, which is part of it as in a broker']);
  });

  it('takes the last of repeated keys, and the command line before the file', () => {
    const override = { key: 'brokerName', text: 'c', where: '--set ' };
    const names = config('brokerName=a\nbrokerName=b\nnamesrvAddr=a:1').config.identity.brokerName;
    expect(names).to.equal('b');
    expect(config('brokerName=a\nnamesrvAddr=a:1', [override]).config.identity.brokerName).to.equal('c');
  });

  it('takes NAMESRV_ADDR where the file names no name server, as a broker does', () => {
    const machine = { ...surroundings, variables: { NAMESRV_ADDR: 'env:9876' } };
    expect(config('brokerName=a', [], machine).config.namesrvAddresses).to.deep.equal(['env:9876']);
    expect(config('namesrvAddr=', [], machine).config.namesrvAddresses).to.deep.equal(['env:9876']);
    expect(config('namesrvAddr=file:9876', [], machine).config.namesrvAddresses).to.deep.equal(['file:9876']);
  });

  it('has TLS with the name servers where a broker has it, with the certificates of its JVM', () => {
    const directory = mkdtempSync(join(tmpdir(), 'rmqns-test-'));
    const overrides = join(directory, 'tls.properties');
    const tls = (text: string, ...options: readonly string[]) =>
      config(`namesrvAddr=a:1\n${text}`, [], {
        ...surroundings,
        variables: {
          JAVA_OPT: `-Dtls.config.file=${overrides} ${options.map((option) => `-Dtls.${option}`).join(' ')}`,
        },
      }).config.namesrvTls;
    try {
      expect(tls('')).to.equal(undefined);
      expect(tls('', 'server.mode=permissive', 'client.certPath=/c')).to.equal(undefined);
      expect(tls('useTLS=false', 'enable=true')).to.equal(undefined);
      expect(tls('useTLS = true')).to.include({ testMode: true, authServer: false });
      expect(tls('', 'server.mode=enforcing')).to.include({ testMode: true });
      const ofBroker = (mode: string) =>
        config('namesrvAddr=a:1\nuseTLS=false', [], {
          ...surroundings,
          variables: { JAVA_OPT: `-Dtls.config.file=${overrides} -Dtls.server.mode=${mode}` },
        }).config.brokerTls;
      expect(ofBroker('enforcing')).to.include({ testMode: true });
      expect(ofBroker('permissive')).to.equal(undefined);
      expect(tls('', 'server.mode=enforcing', 'enable=false')).to.equal(undefined);
      const options = ['enable=true', 'client.certPath=/c', 'client.keyPath="/k"', 'client.authServer=true'];
      expect(tls('', ...options)).to.include({ testMode: false, certPath: '/c', keyPath: '/k', authServer: true });
      expect(tls('', ...options, 'test.mode.enable=true')).to.include({ testMode: true });
      writeFileSync(overrides, 'tls.client.trustCertPath=/ca\ntls.client.keyPath=/other\ntls.enable=false\n');
      expect(tls('', ...options)).to.include({ trustCertPath: '/ca', keyPath: '/other', certPath: '/c' });
    } finally {
      rmSync(directory, { recursive: true });
    }
  });

  it('is in the zone of the JVM of its broker, the property before the variable', () => {
    const zone = (variables: Readonly<Record<string, string>>) =>
      config('namesrvAddr=a:1', [], { ...surroundings, variables }).config.identity.zoneName;
    expect(zone({})).to.equal(undefined);
    expect(zone({ ROCKETMQ_ZONE: 'az-1' })).to.equal('az-1');
    expect(zone({ ROCKETMQ_ZONE: 'az-1', JAVA_OPT: '-Drocketmq.zone=az-2' })).to.equal('az-2');
    expect(zone({ ROCKETMQ_ZONE: ' ' })).to.equal(undefined);
  });

  it('asks an address server where it names no name server, and DNS, when it is told to, as a broker does', () => {
    const found = (text: string, variables = {}) => {
      const { namesrvAddresses, discovery } = config(text, [], { ...surroundings, variables }).config;
      return [namesrvAddresses, discovery];
    };
    const server = (addressServer: string, refreshMillis = 10_000) => [
      [],
      { addressServer, dns: false, refreshMillis },
    ];
    const flag = 'fetchNamesrvAddrByAddressServer=true\n';
    expect(found(flag)).to.deep.equal(server('http://jmenv.tbsite.net:8080/rocketmq/nsaddr'));
    expect(found(`${flag}namesrvAddr=ns:9876`)).to.deep.equal([['ns:9876'], undefined]);
    const keys = 'rmqAddressServerDomain=h:80\nrmqAddressServerSubGroup=unit\nfetchNamesrvAddrInterval=5000';
    expect(found(flag + keys)).to.deep.equal(server('http://h:80/rocketmq/unit', 5_000));
    const JAVA_OPT = '-Xmx1g -Drocketmq.namesrv.domain=old -Drocketmq.namesrv.domain=ns.example';
    expect(found(flag, { JAVA_OPT })).to.deep.equal(server('http://ns.example:8080/rocketmq/nsaddr'));
    expect(
      found('fetchNameSrvAddrByDnsLookup=true\nnamesrvAddr=ns:9876\nupdateNameServerAddrPeriod=60000'),
    ).to.deep.equal([['ns:9876'], { dns: true, refreshMillis: 60_000 }]);
  });

  it('is refused with everything that is wrong with it at once', () => {
    const loaded = read(
      [
        'namesrvAddr=ns-0;ns-1:98760;good:9876',
        'brokerRole=SLAVE',
        'listenPort=http',
        'haListenPort=70000',
        'brokerPermission=rw',
        'forceRegister=yes',
        'fetchNameSrvAddrByDnsLookup=maybe',
        'brokerIP1=10.0.0.1/8',
        'brokerClusterName=\\u12',
      ].join('\n'),
      [{ key: 'registerBrokerTimeoutMills', text: '0', where: '--set ' }],
    );
    expect(loaded.problems).to.deep.equal([
      'broker.conf:9: malformed escape \\u12: four hexadecimal digits must follow \\u (write \\\\u for a backslash and a u)',
      'broker.conf:7 fetchNameSrvAddrByDnsLookup: "maybe" is neither true nor false',
      'broker.conf:1 namesrvAddr: "ns-0" is no host:port: the port, 0 to 65535, must follow the last colon',
      'broker.conf:1 namesrvAddr: "ns-1:98760" is no host:port: the port, 0 to 65535, must follow the last colon',
      'broker.conf:3 listenPort: "http" is no whole number',
      'broker.conf:4 haListenPort: "70000" is not between 1 and 65535',
      'broker.conf:8 brokerIP1: "10.0.0.1/8" is no address and no host name',
      'broker.conf brokerId: must be greater than 0 for a SLAVE',
      'broker.conf:5 brokerPermission: "rw" is no whole number',
      '--set registerBrokerTimeoutMills: "0" is not between 1 and 2147483647',
      'broker.conf:6 forceRegister: "yes" is neither true nor false',
    ]);
  });

  for (const [host, problem] of [
    ['10.0.0.5:10911', 'is a host with a port, where the host alone belongs'],
    ['broker-a:10911', 'is a host with a port, where the host alone belongs'],
    ['[2001:db8::5]', 'is no address; write an IPv6 address without brackets'],
    ['2001:db8::5::1', 'is no address and no host name'],
    ['10.0.0.256', 'is no address and no host name'],
    ['10.0.0', 'is no address and no host name'],
    ['broker a', 'is no address and no host name'],
    ['broker..a', 'is no address and no host name'],
    ['-a', 'is no address and no host name'],
    ['a@b', 'is no address and no host name'],
  ])
    it(`is refused with brokerIP1 or brokerIP2 ${host}`, () => {
      const told = JSON.stringify(host);
      expect(read(`namesrvAddr=a:1\nbrokerIP1=${host}\nbrokerIP2=${host}`).problems).to.deep.equal([
        `broker.conf:2 brokerIP1: ${told} ${problem}`,
        `broker.conf:3 brokerIP2: ${told} ${problem}`,
      ]);
    });

  for (const [host, brokerAddr] of [
    ['2001:db8::5', '[2001:db8::5]:10911'],
    ['broker_a.storage-1.svc.', 'broker_a.storage-1.svc.:10911'],
    ['10.0.0.5', '10.0.0.5:10911'],
  ])
    it(`takes brokerIP1 ${host}`, () => {
      expect(config(`namesrvAddr=a:1\nbrokerIP1=${host}`).config.identity.brokerAddr).to.equal(brokerAddr);
    });

  it('is refused without a name server, and on a machine that nobody can dial', () => {
    const lonely = { ...surroundings, networkInterfaces: { lo: surroundings.networkInterfaces['lo'] } };
    expect(read('brokerRole=MASTER', [], lonely).problems).to.deep.equal([
      'broker.conf namesrvAddr: no name server is given; write host:port, several separated by ";", or use -n',
      'broker.conf brokerIP1: must be set: this machine has no address that others can dial (loopback and container bridges do not count)',
      'broker.conf:1 brokerRole: "MASTER" is none of ASYNC_MASTER, SYNC_MASTER, SLAVE',
    ]);
    const at = config('brokerIP1=127.0.0.1\nnamesrvAddr=127.0.0.1:9876', [], lonely).config.identity;
    expect(at.haServerAddr).to.equal('127.0.0.1:10912');
  });
});
