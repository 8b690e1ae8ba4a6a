import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import { type AddressInfo, createServer as createTcpServer } from 'node:net';
import { GetRouteInfoByTopic } from '@rmqns/protocol';
import { CommandError, RemotingServer } from '@rmqns/remoting';
import { ManualClock } from '@rmqns/remoting/testing';
import { expect } from 'chai';
import { addressServerUrl, ProductNameServers, type ProductNameServersOptions } from '../src/product-name-servers.js';

const ROUTE =
  '{"brokerDatas":[{"brokerAddrs":{"0":"10.9.9.9:10911"},"brokerName":"p","cluster":"P"}],"filterServerTable":{},"queueDatas":[]}';

describe('ProductNameServers', () => {
  const cleanUps: (() => Promise<unknown>)[] = [];
  afterEach(async () => {
    for (const cleanUp of cleanUps.splice(0).reverse()) await cleanUp();
  });

  /** A name server that knows one topic, `P`, and counts who asks. */
  async function nameServer(): Promise<{ address: string; asked: string[] }> {
    const asked: string[] = [];
    const server = new RemotingServer();
    server.handle(GetRouteInfoByTopic, ({ header }) => {
      asked.push(String(header.topic));
      if (header.topic !== 'P') throw new CommandError(header.topic === 'error' ? 1 : 17, 'not here');
      return { body: Buffer.from(ROUTE) };
    });
    await server.start();
    cleanUps.push(() => server.destroy());
    return { address: server.address, asked };
  }

  async function addressServer(answer: (path: string) => string | undefined): Promise<string> {
    const server: Server = createServer(({ url = '' }, response) => {
      const text = answer(url);
      response.writeHead(text === undefined ? 404 : 200).end(text);
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    cleanUps.push(async () => server.closeAllConnections());
    cleanUps.push(async () => server.close());
    return `127.0.0.1:${(server.address() as AddressInfo).port}`;
  }

  async function nobody(): Promise<string> {
    const server = createTcpServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    server.close();
    await once(server, 'close');
    return `127.0.0.1:${port}`;
  }

  function product(options: Partial<ProductNameServersOptions>): ProductNameServers {
    const made = new ProductNameServers({ envName: 'center', ...options });
    cleanUps.push(() => made.close());
    return made;
  }

  it('asks at the address that Java asks at', () => {
    expect(addressServerUrl({ envName: 'center' })).to.equal(
      'http://jmenv.tbsite.net:8080/rocketmq/nsaddr-center?nofix=1',
    );
    expect(addressServerUrl({ envName: 'a b', domain: 'ns.example:80', subgroup: 'mine' })).to.equal(
      'http://ns.example:80/rocketmq/mine-a%20b?nofix=1',
    );
  });

  it('asks those in NAMESRV_ADDR, one after the other until one answers, and that one first from then on', async () => {
    const [down, up] = [await nobody(), await nameServer()];
    const made = product({ namesrvAddr: `${down}; ${up.address}` });
    const route = await made.getRouteInfoByTopic('P');
    expect(route?.brokerDatas[0]?.brokerAddrs.get(0)).to.equal('10.9.9.9:10911');
    expect(await made.getRouteInfoByTopic('Q')).to.equal(undefined);
    expect(up.asked).to.deep.equal(['P', 'Q']);
  });

  it('takes an error of one for no answer, and says what the last said', async () => {
    const [first, second] = [await nameServer(), await nameServer()];
    const made = product({ namesrvAddr: `${first.address};${second.address}` });
    const error = await made.getRouteInfoByTopic('error').then(
      () => expect.fail('it was found'),
      (caught: Error) => caught,
    );
    expect(error).to.be.instanceOf(CommandError);
    expect([first.asked, second.asked]).to.deep.equal([['error'], ['error']]);
  });

  it('asks the address server once in two minutes, and goes on with what it knows where that fails', async () => {
    const clock = new ManualClock();
    const up = await nameServer();
    const paths: string[] = [];
    let list: string | undefined = `${up.address}\n`;
    const domain = await addressServer((path) => {
      paths.push(path);
      return list;
    });
    const made = product({ envName: 'unit1', domain, clock });
    await Promise.all([made.getRouteInfoByTopic('P'), made.getRouteInfoByTopic('P')]);
    expect(paths).to.deep.equal(['/rocketmq/nsaddr-unit1?nofix=1']);
    list = undefined;
    clock.advance(120_000);
    expect(await made.getRouteInfoByTopic('P')).to.not.equal(undefined);
    expect(paths).to.have.length(2);
  });

  for (const [what, answer, reason] of [
    ['has no list', undefined, 'it answers 404'],
    ['has an empty list', ' ; ', 'it names none'],
    ['answers without end', 'x'.repeat(70_000), 'it answers with more than 65536 characters'],
  ] as const)
    it(`says what to do when the address server ${what}`, async () => {
      const domain = await addressServer(() => answer);
      const error = await product({ domain })
        .getRouteInfoByTopic('P')
        .then(
          () => expect.fail('it was found'),
          (caught: Error) => caught,
        );
      expect(error.message).to.equal(
        `http://${domain}/rocketmq/nsaddr-center?nofix=1 does not tell the name servers of that environment: ${reason}; set NAMESRV_ADDR to them, or -Drocketmq.namesrv.domain in JAVA_OPT to another address server`,
      );
    });
});
