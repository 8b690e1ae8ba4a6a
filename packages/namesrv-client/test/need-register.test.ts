import { RequestCode } from '@rmqns/protocol';
import { RemotingCommand } from '@rmqns/remoting';
import { ManualClock } from '@rmqns/remoting/testing';
import { expect } from 'chai';
import { NameServerClient } from '../src/name-server-client.js';
import { needRegister } from '../src/need-register.js';
import { identity, topicTable } from './broker-fixture.js';
import { ScriptedNameServer } from './scripted-name-server.js';

const { QUERY_DATA_VERSION } = RequestCode;
const { dataVersion } = topicTable(3);
const OWN = '{"counter":3,"timestamp":1600000000000}';

const answer = (changed: string | undefined, body?: string): RemotingCommand =>
  RemotingCommand.response(0, undefined, {
    extFields: changed === undefined ? {} : { changed },
    body: body === undefined ? undefined : Buffer.from(body),
  });

describe('needRegister', () => {
  const clock = new ManualClock();
  let client: NameServerClient;
  let servers: ScriptedNameServer[];
  beforeEach(async () => {
    client = new NameServerClient({ clock });
    servers = await Promise.all([1, 2, 3].map(() => ScriptedNameServer.start()));
  });
  afterEach(async () => {
    await client.remotingClient.destroy();
    await Promise.all(servers.map((server) => server.destroy()));
    expect(clock.pendingTimers).to.equal(0);
  });

  const answers = (...commands: (RemotingCommand | undefined)[]): void => {
    servers.forEach((server, i) => {
      server.answer = () => commands[i];
    });
  };
  const ask = (options = {}) =>
    needRegister(
      client,
      servers.map(({ address }) => address),
      identity,
      dataVersion,
      options,
    );
  const port = (i: number): string => servers[i]?.address ?? '';

  it('counts those that say changed (R1), and asks with the broker’s fields and version', async () => {
    answers(answer('true'), answer('true'), answer('true'));
    const { needed, changedAddresses } = await ask();
    expect(needed).to.equal(true);
    expect(changedAddresses).to.have.members([port(0), port(1), port(2)]);
    const request = await (servers[0] as ScriptedNameServer).nth(QUERY_DATA_VERSION, 1);
    expect({ ...request.extFields }).to.deep.equal({
      clusterName: 'C1',
      brokerName: 'broker-a',
      brokerId: '0',
      brokerAddr: '10.0.0.1:10911',
    });
    expect(Buffer.from(request.body ?? []).toString()).to.equal(OWN);
  });

  it('does not count one that is silent until the time is up (R2)', async () => {
    answers(answer('true'), undefined, answer('true'));
    const round = ask({ timeoutMillis: 200 });
    await Promise.all(servers.map((server) => server.nth(QUERY_DATA_VERSION, 1)));
    // Answers come in order: once a later question is answered, the earlier one is.
    for (const i of [0, 2]) await client.unregisterBroker(port(i), identity);
    clock.advance(200);
    const { changedAddresses } = await round;
    expect(changedAddresses).to.have.members([port(0), port(2)]);
  });

  it('is not needed when all have the version, or are silent', async () => {
    answers(answer('false', OWN), answer('false', OWN), answer('false', OWN));
    expect(await ask()).to.deep.include({ needed: false, changedAddresses: [] });
    answers(undefined, undefined, undefined);
    const round = ask({ timeoutMillis: 200 });
    await Promise.all(servers.map((server) => server.nth(QUERY_DATA_VERSION, 2)));
    clock.advance(200);
    expect((await round).needed).to.equal(false);
  });

  it('counts one that has another version, whatever it says (R12)', async () => {
    answers(answer('false', OWN), answer('false', '{"counter":2,"timestamp":1600000000000}'), answer('false'));
    expect((await ask()).changedAddresses).to.deep.equal([port(1)]);
  });

  it('does not count one that answers with an error code (R11)', async () => {
    answers(answer('false', OWN), RemotingCommand.response(1, 'broken'), answer('false', OWN));
    expect((await ask()).needed).to.equal(false);
  });

  it('counts one that cannot be reached, and one whose answer cannot be read (R10)', async () => {
    answers(answer('false', OWN), answer(undefined), answer('false', OWN));
    const dead = port(2);
    await servers[2]?.destroy();
    expect((await ask()).changedAddresses).to.have.members([port(1), dead]);
  });

  it('leaves the state version out unless a 5.x broker asks', async () => {
    answers(answer('false', OWN), answer('false', OWN), answer('false', OWN));
    const version = { ...dataVersion, stateVersion: 7 };
    const addresses = servers.map(({ address }) => address);
    expect((await needRegister(client, addresses, identity, version)).needed).to.equal(false);
    expect((await needRegister(client, addresses, identity, version, { fiveX: true })).needed).to.equal(true);
    expect(Buffer.from(servers[0]?.requests[1]?.body ?? []).toString()).to.contain('"stateVersion":7');
  });
});
