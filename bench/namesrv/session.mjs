import { FIXED, OURS, startGenerator, startServer } from './servers.mjs';

/** How long a question to the load may take beyond what it was asked to do. */
const SPARE_MILLIS = 60_000;

/** What the parts of a run share: options, and processes that are all ended at the end of a part. */
export class Session {
  #open = [];

  /** @param {{ rounds: number, serverCore: number, loadCore: number, tell: (line: string) => void }} options */
  constructor({ rounds, serverCore, loadCore, tell }) {
    Object.assign(this, { rounds, serverCore, loadCore, tell });
  }

  async startServer(name, options = {}) {
    const server = await startServer(name, { core: this.serverCore, ...options });
    this.#open.push(server);
    return server;
  }

  /** The load's process: `ask(question, details)`. */
  startLoad() {
    const child = startGenerator({ core: this.loadCore });
    this.#open.push(child);
    return {
      ask: (what, details = {}) =>
        child.ask(what, details, SPARE_MILLIS + 1000 * (details.mostSeconds ?? details.seconds ?? 0)),
      end: child.end,
    };
  }

  /** Our server and the one with fixed answers, by name, each once `prepare` has done with it. */
  async startBoth(options, prepare) {
    const servers = new Map();
    for (const name of [OURS, FIXED]) {
      const server = await this.startServer(name, options);
      servers.set(name, server);
      await prepare(server, name);
    }
    return servers;
  }

  /** What each of the shapes gives, measured with processes of its own. */
  async oneByOne(shapes, measure) {
    const measured = [];
    for (const shape of shapes) {
      measured.push(await measure(shape));
      await this.endAll();
    }
    return measured;
  }

  /** The samples of one server, in the order of the rounds. */
  async repeat(measure, rounds = this.rounds) {
    const samples = [];
    for (let round = 0; round < rounds; round++) samples.push(await measure(round));
    return samples;
  }

  /** The servers in turn, in another order each round; by server its samples, in the order of the rounds. */
  async inTurn(names, measure, rounds = this.rounds) {
    const samples = Object.fromEntries(names.map((name) => [name, []]));
    for (let round = 0; round < rounds; round++) {
      const first = round % names.length;
      for (const name of [...names.slice(first), ...names.slice(0, first)])
        samples[name].push(await measure(name, round));
    }
    return samples;
  }

  async endAll() {
    await Promise.all(this.#open.splice(0).map((process) => process.end()));
  }
}

/** CPU of a server while something goes on, and what that gave. */
export async function withUsage(server, work) {
  const before = await server.usage();
  const result = await work();
  const after = await server.usage();
  return { result, cpuMicros: after.cpuMicros - before.cpuMicros, rssMiB: after.rssBytes / 2 ** 20 };
}
