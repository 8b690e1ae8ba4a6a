import { createNameServer } from '@rmqns/namesrv';
import { eventually, type Json, useApache, WireClient } from '@rmqns/test-kit';
import { expect } from 'chai';
import { answerView } from '../conformance/answer-view.js';
import { AdminShell } from './mqadmin/admin-shell.js';

const GET_ROUTEINFO_BY_TOPIC = 105;
const GET_BROKER_CLUSTER_INFO = 106;
const GET_ALL_TOPIC_LIST = 206;
const CLIENT_VERSION = 479;

describe('a broker of 5.3.3 with compressedRegister=true, which Apache refuses', () => {
  const apache = useApache('5.3.3');

  it("is shown by ours as Apache's shows one without it, is not parsed again, and goes when it stops", async function () {
    this.timeout(240_000);
    // In this process, to see its counters.
    await using ours = createNameServer({ bindAddress: '127.0.0.1', listenPort: 0 });
    await ours.start();
    const theirs = await apache.startNameServer('5.3.3');
    const addresses = { ours: ours.address, theirs: `127.0.0.1:${theirs.port}` };
    const often = { registerNameServerPeriod: 10_000 };
    const compressed = await apache.startBroker('5.3.3', addresses.ours, { ...often, compressedRegister: true });
    const plain = await apache.startBroker('5.3.3', addresses.theirs, often);
    await using own = await WireClient.connect(Number(ours.address.split(':')[1]));
    await using other = await WireClient.connect(theirs.port);

    const shell = AdminShell.start(apache, '5.3.3');
    for (const [nameServer, { brokerAddr }, client] of [
      [addresses.ours, compressed, own],
      [addresses.theirs, plain, other],
    ] as const) {
      const update = ['-n', nameServer, '-b', brokerAddr];
      await shell.run('updateTopic', ...update, '-t', 'TopicA', '-r', '3', '-w', '5', '-p', '4');
      await shell.run('updateTopic', ...update, '-t', 'TopicB', '-a', '+message.type=FIFO');
      await shell.run('updateTopic', ...update, '-t', 'TopicC');
      // The tool looks for its route, and does nothing where there is none yet.
      await eventually(async () => (await topicList(client)).includes('TopicC') || undefined, {
        what: 'the route of TopicC',
        timeoutMillis: 30_000,
      });
      await shell.run('updateTopicPerm', ...update, '-t', 'TopicC', '-p', '2');
    }

    let shown: unknown;
    await eventually(
      async () => {
        const expected = await allRoutes(other, plain.brokerAddr);
        shown = await allRoutes(own, compressed.brokerAddr);
        const isComplete = expected['TopicC'] !== undefined && JSON.stringify(expected['TopicC']).includes('"perm":2');
        return isComplete && JSON.stringify(shown) === JSON.stringify(expected) ? true : undefined;
      },
      { what: 'the same routes', timeoutMillis: 45_000, intervalMillis: 250 },
    ).catch(async (error: unknown) => {
      expect(shown).to.deep.equal(await allRoutes(other, plain.brokerAddr));
      throw error;
    });

    const moreUnchanged = (wanted: number): Promise<unknown> => {
      const { registrationsUnchanged } = ours.counters;
      return eventually(
        async () => ours.counters.registrationsUnchanged >= registrationsUnchanged + wanted || undefined,
        {
          what: `${wanted} registrations more`,
          timeoutMillis: 20_000 * wanted,
        },
      );
    };
    // A topic that changed is registered alone, and with all others at the next round.
    await moreUnchanged(1);
    const { registrationsRead } = ours.counters;
    await moreUnchanged(2);
    expect(ours.counters.registrationsRead).to.equal(registrationsRead);

    await compressed.process.stop('SIGTERM');
    await eventually(async () => ((await body(own, GET_BROKER_CLUSTER_INFO)) === EMPTY ? true : undefined), {
      what: 'the broker off the tables',
      timeoutMillis: 10_000,
    });
    expect(await topicList(own)).to.deep.equal([]);
  });
});

const EMPTY = JSON.stringify({ brokerAddrTable: {}, clusterAddrTable: {} });

async function view(client: WireClient, code: number, extFields: Record<string, string> = {}): Promise<Json> {
  const { bytes } = await client.call({ code, extFields, version: CLIENT_VERSION });
  return answerView(bytes, code).body;
}

async function body(client: WireClient, code: number): Promise<string> {
  return JSON.stringify(await view(client, code));
}

async function topicList(client: WireClient): Promise<string[]> {
  const list = (await view(client, GET_ALL_TOPIC_LIST)) as { readonly topicList: readonly string[] };
  return [...list.topicList].sort();
}

/** The route of each topic there is, with BROKER for the address of the broker. */
async function allRoutes(client: WireClient, brokerAddr: string): Promise<Record<string, Json>> {
  const routes: Record<string, Json> = {};
  for (const topic of await topicList(client)) {
    const route = await view(client, GET_ROUTEINFO_BY_TOPIC, { topic });
    routes[topic] = JSON.parse(JSON.stringify(route).replaceAll(brokerAddr, 'BROKER')) as Json;
  }
  return routes;
}
