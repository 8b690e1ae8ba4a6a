import { expect } from 'chai';
import { createExtFields, RemotingClient, RemotingCommand } from '../../src/index.js';
import { HostilePeers } from './hostile-peers.js';
import { ServerProcess } from './server-process.js';
import { askedFor } from './soak-codes.js';

const HOSTILE_PEERS = 1_000;
/** Longer by hand: RMQNS_SOAK_SECONDS=60. */
const HOSTILE_MILLIS = Number(process.env['RMQNS_SOAK_SECONDS'] ?? 4) * 1_000;
const LEAST_ROUNDS = 10;
const MIB = 1 << 20;
const KEPT_BYTES = 8 * MIB;

interface State {
  readonly rss: number;
  readonly held: number;
  readonly channels: number;
}

describe('a server of 128 MiB among a thousand hostile peers', function () {
  this.timeout(HOSTILE_MILLIS + 30_000);
  let server: ServerProcess;
  let client: RemotingClient;
  let peers: HostilePeers | undefined;

  beforeEach(async () => {
    server = await ServerProcess.start({ execArgv: ['--max-old-space-size=128', '--expose-gc'] });
    client = new RemotingClient({ timeoutMillis: 8_000 });
  });

  afterEach(async () => {
    await peers?.leave();
    await client.destroy();
    await server.kill();
  });

  async function state(gc = false): Promise<State> {
    const request = RemotingCommand.request(askedFor.state, { extFields: createExtFields({ gc: String(gc) }) });
    const { extFields } = await client.invokeSync(server.address, request);
    return {
      rss: Number(extFields?.['rss']),
      held: Number(extFields?.['held']),
      channels: Number(extFields?.['channels']),
    };
  }

  it('lives, answers good clients, keeps its memory within bounds and gives it back', async () => {
    const before = await state(true);
    peers = new HostilePeers(server.address, HOSTILE_PEERS);
    await peers.connect();
    let most = await state();
    while (most.channels <= HOSTILE_PEERS) most = await state();
    const began = performance.now();
    let answered = 0;
    for (let round = 0; round < LEAST_ROUNDS || performance.now() - began < HOSTILE_MILLIS; round++) {
      peers.act();
      const body = Buffer.alloc(1_024, round);
      const answers = await Promise.all(
        Array.from({ length: 4 }, () =>
          client.invokeSync(server.address, RemotingCommand.request(askedFor.echo, { body })),
        ),
      );
      for (const answer of answers) if (body.equals(answer.body ?? Buffer.alloc(0))) answered++;
      expect(answered).to.equal(4 * (round + 1));
      const now = await state();
      most = {
        rss: Math.max(most.rss, now.rss),
        held: Math.max(most.held, now.held),
        channels: Math.max(most.channels, now.channels),
      };
    }
    const { closed } = peers;
    await peers.leave();
    let after = await state(true);
    // Handles are closed, and what they hold is free, some turns after their connections are gone.
    for (let tries = 0; tries < 200 && (after.channels > 1 || after.held - before.held >= KEPT_BYTES); tries++)
      after = await state(true);
    expect(after.channels).to.equal(1);
    expect(server.isRunning).to.equal(true);
    expect(closed['announces2GiB']).to.be.above(0);
    expect(closed['noise']).to.be.above(0);
    expect(most.rss).to.be.below(256 * MIB);
    expect(after.held - before.held).to.be.below(KEPT_BYTES);
  });
});
