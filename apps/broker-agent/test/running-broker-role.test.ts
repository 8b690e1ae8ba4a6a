import { RequestCode } from '@rmqns/protocol';
import { RemotingCommand, RemotingServer, silentLogger, systemClock } from '@rmqns/remoting';
import { ManualClock } from '@rmqns/remoting/testing';
import { createCertificates, TemporaryDirectory } from '@rmqns/test-kit';
import { expect } from 'chai';
import { RunningBrokerRole } from '../src/running-broker-role.js';

describe('the role of a running broker', () => {
  let broker: RemotingServer;
  let answer: () => RemotingCommand | undefined;
  let clock: ManualClock;
  let role: RunningBrokerRole;
  let changes: unknown[];
  let asked: number;
  beforeEach(async () => {
    asked = 0;
    changes = [];
    clock = new ManualClock();
    broker = new RemotingServer({ host: '127.0.0.1', port: 0 });
    broker.registerProcessor(RequestCode.GET_BROKER_CONFIG, {
      processRequest: () => {
        asked += 1;
        return answer();
      },
    });
    await broker.start();
    role = new RunningBrokerRole({ address: broker.address, clock, logger: silentLogger });
  });
  afterEach(async () => {
    role.close();
    await broker.destroy();
    for (let i = 0; i < 10; i++) await new Promise((resolve) => setImmediate(resolve));
    expect(clock.pendingTimers).to.equal(0);
  });

  const settings =
    (brokerId: string, permission = '6') =>
    () =>
      RemotingCommand.response(0, undefined, {
        body: Buffer.from(
          `brokerName=broker-a\nbrokerId=${brokerId}\nbrokerPermission=${permission}\nlistenPort=10911\n`,
        ),
      });

  it('is not known while it has the id -1, follows id and permission, and stays when the broker is silent or strange', async () => {
    answer = settings('-1');
    role.start(() => changes.push(role.current));
    while (asked === 0) await new Promise((resolve) => setImmediate(resolve));
    for (const next of [
      settings('1'),
      settings('1'),
      settings('0', '4'),
      () => RemotingCommand.response(1, 'busy'),
      () => RemotingCommand.response(0, undefined, { body: Buffer.from('brokerName=b\n') }),
    ]) {
      answer = next;
      await role.ask();
    }
    expect(changes).to.deep.equal([
      { brokerId: 1, brokerPermission: 6 },
      { brokerId: 0, brokerPermission: 4 },
    ]);
    expect(role.problem).to.match(/tells no brokerId and brokerPermission among its 1 settings/);
    expect(role.current).to.deep.equal({ brokerId: 0, brokerPermission: 4 });
    answer = settings('0', '4');
    await role.ask();
    expect(role.problem).to.equal(undefined);
  });

  it('is asked for over TLS where the broker takes nothing else', async () => {
    await using directory = await TemporaryDirectory.create();
    const { ca, server } = await createCertificates(directory.path);
    await using secured = new RemotingServer({ host: '127.0.0.1', port: 0, tls: { ...server, mode: 'enforcing' } });
    secured.registerProcessor(RequestCode.GET_BROKER_CONFIG, { processRequest: settings('1') });
    await secured.start();
    const tls = { trustCertPath: ca.certPath };
    const asked = new RunningBrokerRole({ address: secured.address, tls, clock: systemClock, logger: silentLogger });
    await asked.ask();
    asked.close();
    expect(asked.current).to.deep.equal({ brokerId: 1, brokerPermission: 6 });
  });

  it('is asked for each 5 s, one question at a time', async () => {
    answer = settings('0');
    role.start(() => changes.push(role.current));
    while (changes.length === 0) await new Promise((resolve) => setImmediate(resolve));
    answer = () => undefined;
    clock.advance(5_000);
    while (asked < 2) await new Promise((resolve) => setImmediate(resolve));
    expect(role.ask()).to.equal(role.ask());
    for (let i = 0; i < 10; i++) await new Promise((resolve) => setImmediate(resolve));
    expect(asked).to.equal(2);
  });
});
