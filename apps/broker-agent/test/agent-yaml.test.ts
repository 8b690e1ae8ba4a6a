import { resolve } from 'node:path';
import type { Setting } from '@rmqns/program';
import { silentLogger } from '@rmqns/remoting';
import { ManualClock } from '@rmqns/remoting/testing';
import { expect } from 'chai';
import { readAgentYaml } from '../src/agent-yaml.js';
import { topicSources } from '../src/configured-topics.js';
import { surroundings } from './surroundings.js';

const minimal = `namesrv: { addresses: ["ns-0:9876", "ns-1:9876"] }
topics: { sources: [ { file: /data/store/config/topics.json } ] }
state: { dir: /var/lib/rmq-agent }
`;

function read(text: string, overrides: readonly Setting[] = [], namesrvAddr?: string, machine = surroundings) {
  return readAgentYaml('agent.yaml', text, overrides, namesrvAddr, machine);
}

function config(text: string, overrides: readonly Setting[] = [], namesrvAddr?: string) {
  const loaded = read(text, overrides, namesrvAddr);
  if (loaded.problems !== undefined) throw new Error(loaded.problems.join('\n'));
  return loaded;
}

describe("the agent's own YAML", () => {
  it('has defaults for all but name servers, sources and state', () => {
    const loaded = config(minimal);
    expect(loaded.config).to.deep.equal({
      namesrvAddresses: ['ns-0:9876', 'ns-1:9876'],
      identity: {
        clusterName: 'DefaultCluster',
        brokerName: 'node-7',
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
        changesOnly: false,
        onConflict: 'standBack',
        includeBrokerTopics: false,
        unregisterOnStop: true,
        reconnectJitter: 0.1,
        startDelayMillis: 0,
      },
      topics: {
        sources: [{ kind: 'file', path: '/data/store/config/topics.json' }],
        merge: 'union',
        debounceMillis: 500,
        minimum: 0,
      },
      health: { onFailing: 'unregister' },
      stateDirectory: '/var/lib/rmq-agent',
      admin: { bind: '127.0.0.1', port: 9_881, hosts: [] },
      hooks: undefined,
      facade: undefined,
    });
    expect(loaded.notes).to.deep.equal([
      'identity.address is auto: took 10.1.2.3 of interface eth0, there are also 192.168.0.9 of eth1',
    ]);
  });

  it('is read with every key that there is', () => {
    const loaded = config(`
namesrv:
  addresses: ["ns-0:9876"]
identity:
  cluster: C
  brokerName: b
  brokerId: 2
  roleOf: 127.0.0.1:20911
  address: "auto:eth1"
  port: 20911
  haAddress: "10.9.0.1:20999"
  permission: r
  zone: az-1
  heartbeatTimeout: 15s
  actingMaster: true
  filterServers: ["10.0.0.1:7000"]
register:
  interval: 15s
  timeout: 500ms
  compressed: true
  force: false
  splitSize: 500
  changesOnly: true
  onConflict: overwrite
  includeBrokerTopics: true
  unregisterOnStop: false
  reconnectJitter: 2.5%
  startDelay: 1.5m
topics:
  merge: union
  debounce: 100ms
  minimum: 1
  sources:
    - file: store/topics.json
    - static:
        - { topic: Orders, read: 4, write: 16, perm: rw, order: true }
        - topic: Audit
          perm: rwx
admin: { bind: "::1", port: 1, hosts: [node-7] }
hooks: { onFailed: [ { exec: { command: [page, me] } }, { webhook: { url: "http://pager/", timeout: 1s } } ] }
facade: { enabled: true }
state: { dir: state }
`);
    const topic = (topicName: string, read: number, write: number, perm: number, order: boolean) => ({
      topicName,
      readQueueNums: read,
      writeQueueNums: write,
      perm,
      topicFilterType: 'SINGLE_TAG',
      topicSysFlag: 0,
      order,
    });
    expect(loaded.config).to.deep.equal({
      namesrvAddresses: ['ns-0:9876'],
      identity: {
        clusterName: 'C',
        brokerName: 'b',
        brokerId: 2,
        roleOf: '127.0.0.1:20911',
        brokerAddr: '192.168.0.9:20911',
        haServerAddr: '10.9.0.1:20999',
        zoneName: 'az-1',
        heartbeatTimeoutMillis: 15_000,
        enableActingMaster: true,
        brokerPermission: 4,
        filterServers: ['10.0.0.1:7000'],
      },
      register: {
        periodMillis: 15_000,
        timeoutMillis: 500,
        compressed: true,
        forceRegister: false,
        splitSize: 500,
        changesOnly: true,
        onConflict: 'overwrite',
        includeBrokerTopics: true,
        unregisterOnStop: false,
        reconnectJitter: 0.025,
        startDelayMillis: 90_000,
      },
      topics: {
        sources: [
          { kind: 'file', path: resolve('store/topics.json') },
          {
            kind: 'static',
            table: new Map([
              ['Orders', topic('Orders', 4, 16, 6, true)],
              ['Audit', topic('Audit', 8, 8, 7, false)],
            ]),
          },
        ],
        merge: 'union',
        debounceMillis: 100,
        minimum: 1,
      },
      health: { onFailing: 'unregister' },
      stateDirectory: resolve('state'),
      admin: { bind: '::1', port: 1, hosts: ['node-7'] },
      hooks: {
        onFailed: [
          { kind: 'exec', command: ['page', 'me'], timeoutMillis: 10_000 },
          { kind: 'webhook', url: 'http://pager/', timeoutMillis: 1_000 },
        ],
      },
      facade: { host: '0.0.0.0', port: 20911 },
    });
  });

  it('is overridden by the command line, key by key and in its name servers', () => {
    const overrides = [
      { key: 'identity.brokerName', text: 'x', where: '--set ' },
      { key: 'register.interval', text: '20s', where: '--set ' },
    ];
    const { config: effective } = config(minimal, overrides, 'other:9876');
    expect(effective.identity.brokerName).to.equal('x');
    expect(effective.register.periodMillis).to.equal(20_000);
    expect(effective.namesrvAddresses).to.deep.equal(['other:9876']);
  });

  it('takes NAMESRV_ADDR where it names no name server', () => {
    const machine = { ...surroundings, variables: { NAMESRV_ADDR: 'env:9876' } };
    const loaded = read(minimal.replace(/^.*\n/, ''), [], undefined, machine);
    expect(loaded.problems).to.equal(undefined);
    expect(loaded.problems === undefined && loaded.config.namesrvAddresses).to.deep.equal(['env:9876']);
  });

  it('takes sources of topics of every kind with their defaults', () => {
    const { topics } = config(`namesrv: { addresses: ["ns:9876"] }
topics:
  merge: first
  sources:
    - broker: "127.0.0.1:10911"
    - http: { url: "https://user:secret@h/topics" }
    - http: { url: "http://h/topics", every: 1m, timeout: 2s, etag: false }
    - exec: { command: [/opt/list-topics, --all], timeout: 1s }
state: { dir: state }
`).config;
    expect(topics).to.deep.equal({
      merge: 'first',
      debounceMillis: 500,
      minimum: 0,
      sources: [
        { kind: 'broker', address: '127.0.0.1:10911' },
        { kind: 'http', url: 'https://user:secret@h/topics', etag: true, everyMillis: 15_000, timeoutMillis: 5_000 },
        { kind: 'http', url: 'http://h/topics', etag: false, everyMillis: 60_000, timeoutMillis: 2_000 },
        { kind: 'exec', command: ['/opt/list-topics', '--all'], everyMillis: 60_000, timeoutMillis: 1_000 },
      ],
    });
    expect(topicSources(topics, new ManualClock(), silentLogger).map(({ name }) => name)).to.deep.equal([
      'broker 127.0.0.1:10911',
      'https://h/topics',
      'http://h/topics',
      'exec /opt/list-topics',
    ]);
  });

  it('takes name servers from a list, a file or an address server, with DNS or without', () => {
    const namesrv = (text: string, n?: string) => {
      const rest = 'topics: { sources: [ { static: [] } ] }\nstate: { dir: state }\n';
      const { namesrvAddresses, discovery } = config(`namesrv: { ${text} }\n${rest}`, [], n).config;
      return [namesrvAddresses, discovery];
    };
    expect(namesrv('addresses: ["ns:9876"], addressServer: null')).to.deep.equal([['ns:9876'], undefined]);
    expect(namesrv('addresses: ["ns:9876"], dns: true')).to.deep.equal([
      ['ns:9876'],
      { dns: true, refreshMillis: 10_000 },
    ]);
    const file = { file: resolve('ns.txt'), dns: false, refreshMillis: 30_000 };
    expect(namesrv('file: ns.txt, refresh: 30s')).to.deep.equal([[], file]);
    expect(namesrv('file: ns.txt', 'other:9876')).to.deep.equal([['other:9876'], undefined]);
    expect(namesrv('addressServer: jmenv.tbsite.net, dns: true')).to.deep.equal([
      [],
      { addressServer: 'http://jmenv.tbsite.net:8080/rocketmq/nsaddr', dns: true, refreshMillis: 10_000 },
    ]);
    expect(read('namesrv:\n  addresses: ["ns:9876"]\n  file: x\n  addressServer: "a b"\n').problems).to.include.members(
      [
        'agent.yaml:3 namesrv.file: must not stand beside addresses: only one can say which name servers there are',
        'agent.yaml:4 namesrv.addressServer: "a b" is neither a URL of http or https nor a host or host:port',
      ],
    );
  });

  it('takes TLS with the name servers in the words of remoting, and no TLS where nothing is said', () => {
    const tls = (text: string) =>
      config(
        `namesrv: { addresses: ["ns:9876"], tls: ${text} }\ntopics: { sources: [ { static: [] } ] }\nstate: { dir: s }\n`,
      ).config.namesrvTls;
    const defaults = {
      authServer: true,
      verifyHostname: false,
      testMode: false,
      handshakeTimeoutMillis: 10_000,
      reloadIntervalMillis: 500,
    };
    expect(config(minimal).config.namesrvTls).to.equal(undefined);
    expect(tls('{}')).to.deep.equal(defaults);
    expect(
      tls('{ trustCertPath: ca.pem, certPath: /etc/a.pem, keyPath: /etc/a.key, verifyHostname: true }'),
    ).to.deep.equal({
      ...defaults,
      trustCertPath: resolve('ca.pem'),
      certPath: '/etc/a.pem',
      keyPath: '/etc/a.key',
      verifyHostname: true,
    });
    expect(
      tls('{ servername: ns, authServer: false, testMode: true, handshakeTimeout: 1s, reloadInterval: 0s }'),
    ).to.deep.equal({
      servername: 'ns',
      authServer: false,
      verifyHostname: false,
      testMode: true,
      handshakeTimeoutMillis: 1_000,
      reloadIntervalMillis: 0,
    });
    const problems = (text: string) =>
      read(`${minimal}`.replace('] }', `], tls: ${text} }`)).problems?.map((line) =>
        line.replace('agent.yaml:1 namesrv.', ''),
      );
    expect(problems('true')).to.deep.equal([
      'tls: must hold keys; write {} for the defaults, and leave it out for no TLS',
    ]);
    expect(problems('{ certPath: a.pem, ca: b.pem }')).to.include('tls.ca: there is no such key');
    expect(problems('{ certPath: a.pem }')).to.deep.equal([
      'tls: certPath and keyPath must stand together: a certificate is shown with its key',
    ]);
    expect(problems('{ authServer: false, verifyHostname: true }')).to.deep.equal([
      'tls.verifyHostname: must be false where authServer is: a name says nothing in a certificate that anybody may have made',
    ]);
    expect(problems('{ keyPasswordFile: /none }')).to.deep.equal([
      'tls.keyPasswordFile: cannot read /none: there is no such file',
    ]);
  });

  it('takes who signs requests to name servers, with the secret key in a file alone', () => {
    const namesrv = (text: string) => minimal.replace('] }', `], credentials: ${text} }`);
    expect(config(namesrv('{ accessKey: agent, secretKeyFile: key }')).config.namesrvCredentials).to.deep.equal({
      accessKey: 'agent',
      secretKeyFile: resolve('key'),
    });
    expect(read(namesrv('{ accessKey: agent, secretKey: s3cret }')).problems).to.deep.equal([
      'agent.yaml:1 namesrv.credentials.secretKeyFile: must be a text',
      'agent.yaml:1 namesrv.credentials.secretKey: there is no such key',
    ]);
  });

  it('refuses a reconnectJitter that is no percentage', () => {
    for (const jitter of ['101%', '10', '-1%', '"%"'])
      expect(read(`${minimal}register: { reconnectJitter: ${jitter} }`).problems, jitter).to.match(
        /^agent\.yaml:4 register\.reconnectJitter: .*is no percentage; write 0% to 100%, for instance 10%$/,
      );
  });

  it('takes probes with their defaults, and none for a node that always passes', () => {
    const health = (text: string) => config(`${minimal}health: ${text}`).config.health;
    expect(health('{ onFailing: silent }')).to.deep.equal({ onFailing: 'silent' });
    expect(
      health(`
  mode: any
  initial: passing
  onFailing: read-only
  probes:
    - tcp: { address: " 127.0.0.1:10911" }
    - http: { url: "http://[::1]:8080/healthz", expect: [200, 204], body: ok, every: 1s, timeout: 500ms, rise: 1, fall: 1 }
    - exec: { command: [/usr/local/bin/check, --fast] }
`),
    ).to.deep.equal({
      onFailing: 'read-only',
      probing: {
        mode: 'any',
        initial: 'passing',
        probes: [
          { kind: 'tcp', address: '127.0.0.1:10911', everyMillis: 5_000, timeoutMillis: 1_000, rise: 2, fall: 3 },
          {
            kind: 'http',
            url: 'http://[::1]:8080/healthz',
            expect: [200, 204],
            body: 'ok',
            everyMillis: 1_000,
            timeoutMillis: 500,
            rise: 1,
            fall: 1,
          },
          {
            kind: 'exec',
            command: ['/usr/local/bin/check', '--fast'],
            everyMillis: 30_000,
            timeoutMillis: 5_000,
            rise: 2,
            fall: 3,
          },
        ],
      },
    });
  });

  it('is refused for a place of the admin pages that is no address and no name', () => {
    expect(read(`${minimal}admin: { bind: "all of them" }\n`).problems).to.deep.equal([
      'agent.yaml:4 admin.bind: "all of them" is no address and no host name',
    ]);
  });

  it('is refused for probes that cannot be, each by its line', () => {
    const loaded = read(`${minimal}health:
  mode: some
  initial: unknown
  onFailing: stop
  probes:
    - tcp: { address: "127.0.0.1" }
    - http: { url: "ftp://h/", expect: [] }
    - exec: { command: [""], rise: 0 }
    - tcp: { address: "h:1" }
      exec: { command: [x] }
    - udp: {}
    - exec: { command: check.sh, every: 1ms }
`);
    expect(loaded.problems).to.deep.equal([
      'agent.yaml:5 health.mode: must be all or any',
      'agent.yaml:6 health.initial: must be failing or passing',
      'agent.yaml:7 health.onFailing: must be unregister, read-only, silent or keep',
      'agent.yaml:9 health.probes.0.tcp.address: "127.0.0.1" is no host:port: the port, 0 to 65535, must follow the last colon',
      'agent.yaml:10 health.probes.1.http.url: is no URL of http or https',
      'agent.yaml:10 health.probes.1.http.expect: must name a status',
      'agent.yaml:11 health.probes.2.exec.command: must name a program',
      'agent.yaml:11 health.probes.2.exec.rise: must be a whole number from 1 to 1000',
      'agent.yaml:12 health.probes.3: must be one probe, - tcp:, - http: or - exec:',
      'agent.yaml:14 health.probes.4.udp: there is no such key',
      'agent.yaml:14 health.probes.4: must be one probe, - tcp:, - http: or - exec:',
      'agent.yaml:15 health.probes.5.exec.command: must be a list, a program and its arguments',
      'agent.yaml:15 health.probes.5.exec.every: "1ms" is not between 100 ms and 3600000 ms',
    ]);
  });

  it('is refused with everything that is wrong with it at once', () => {
    const text = `namesrv:
  addresses: ns:9876
identity: { brokerNmae: b, port: 0, permission: rq }
register:
  interval: 30
  timeout: 6 seconds
  startDelay: 2h
topics:
  sources:
    - file: a
      static: []
    - static:
        - { topic: "a b", read: -1 }
        - { perm: rw }
`;
    expect(read(text, [{ key: 'register.force', text: 'perhaps', where: '--set ' }]).problems).to.have.members([
      'agent.yaml:2 namesrv.addresses: must be a list of host:port',
      'agent.yaml:3 identity.brokerNmae: there is no such key',
      'agent.yaml:3 identity.port: must be a whole number from 1 to 65535',
      'agent.yaml:3 identity.permission: "rq" is no permission; write letters of r, w and x',
      'agent.yaml:5 register.interval: is no duration; write a number and ms, s, m or h, for instance 30s',
      'agent.yaml:6 register.timeout: "6 seconds" is no duration; write a number and ms, s, m or h, for instance 30s',
      'agent.yaml:7 register.startDelay: "2h" is not between 0 ms and 3600000 ms',
      '--set register.force: must be true or false',
      'agent.yaml:10 topics.sources.0: must be one source of topics, - file:, - broker:, - http:, - exec: or - static:',
      'agent.yaml:13 topics.sources.1.static.0.topic: is no topic name: up to 127 letters, digits and % | _ -',
      'agent.yaml:13 topics.sources.1.static.0.read: must be a whole number from 0 to 65536',
      'agent.yaml:14 topics.sources.1.static.1.topic: must be a text',
      'agent.yaml state: is missing; say where the data version is kept over restarts, for instance state: { dir: /var/lib/rmq-agent }',
    ]);
  });

  it('is refused for addresses that nobody can dial, and for a topic named twice', () => {
    const text = `namesrv: { addresses: ["ns", "ns:0"] }
identity: { address: "auto:docker0", haAddress: "10.0.0.1" }
topics: { sources: [ { static: [ { topic: A }, { topic: A } ] } ] }
state: { dir: /s }
`;
    expect(read(text).problems).to.deep.equal([
      'agent.yaml:1 namesrv.addresses: "ns" is no host:port: the port, 0 to 65535, must follow the last colon',
      'agent.yaml:1 namesrv.addresses: "ns:0" is no host:port: nobody listens on port 0',
      'agent.yaml:2 identity.address: interface docker0 has no address that others can dial (loopback and container bridges do not count); write the address that clients dial',
      'agent.yaml:2 identity.haAddress: "10.0.0.1" is no host:port: the port, 0 to 65535, must follow the last colon',
      'agent.yaml:3 topics.sources.0.static.1.topic: A is there twice',
    ]);
    expect(read(minimal.replace('topics', 'identity: { address: "auto:wlan0" }\ntopics')).problems).to.deep.equal([
      'agent.yaml:2 identity.address: this machine has no interface wlan0, only lo, docker0, eth0, eth1; write the address that clients dial',
    ]);
  });

  it('is told all that is wrong with its addresses beside all else that is wrong', () => {
    const text = `namesrv: { addresses: ["ns", "10.0.0.5:1:9876"] }
identity:
  brokerName: " "
  address: 10.0.0.5:10911
  port: 0
  haAddress: "10.0.0.300:1"
  filterServers: ["10.0.0.1:7000", "filter"]
register: null
topics: { sources: [ { static: [ { topic: A }, { topic: A, read: -1 }, x ] } ] }
`;
    expect(read(text).problems).to.have.members([
      'agent.yaml:1 namesrv.addresses: "ns" is no host:port: the port, 0 to 65535, must follow the last colon',
      'agent.yaml:1 namesrv.addresses: "10.0.0.5:1:9876" is no host:port: "10.0.0.5:1" is a host with a port, where the host alone belongs',
      'agent.yaml:3 identity.brokerName: is blank',
      'agent.yaml:4 identity.address: "10.0.0.5:10911" is a host with a port, where the host alone belongs',
      'agent.yaml:5 identity.port: must be a whole number from 1 to 65535',
      'agent.yaml:6 identity.haAddress: "10.0.0.300:1" is no host:port: "10.0.0.300" is no address and no host name',
      'agent.yaml:7 identity.filterServers.1: "filter" is no host:port: the port, 0 to 65535, must follow the last colon',
      'agent.yaml:8 register: must hold keys; leave it out for the defaults',
      'agent.yaml:9 topics.sources.0.static.1.topic: A is there twice',
      'agent.yaml:9 topics.sources.0.static.1.read: must be a whole number from 0 to 65536',
      'agent.yaml:9 topics.sources.0.static.2: must be a topic, for instance { topic: Orders }',
      'agent.yaml state: is missing; say where the data version is kept over restarts, for instance state: { dir: /var/lib/rmq-agent }',
    ]);
    expect(read(`identity: null\n${minimal}`).problems).to.deep.equal([
      'agent.yaml:1 identity: must hold keys; leave it out for the defaults',
    ]);
    expect(read(minimal.replace(/\["ns.*\]/, '[3]')).problems).to.deep.equal([
      'agent.yaml:1 namesrv.addresses.0: must be a text',
    ]);
  });

  it('is refused by line when it is no YAML, and when it is empty or something else', () => {
    expect(read('namesrv: [\nstate: }').problems?.[0]).to.match(/^agent\.yaml:2: /);
    expect(read('').problems).to.have.length(3);
    expect(read('- a').problems).to.deep.equal([
      'agent.yaml must hold the keys namesrv, identity, register, topics and state',
    ]);
  });
});
