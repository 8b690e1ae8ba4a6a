import { runNsload } from './nsload.mjs';
import { startPeer } from './servers.mjs';

/** Measures the cases of a part, the servers in turn within each round; each case with its samples by server. */
export async function measureCases(session, { cases }) {
  const measured = [];
  for (const each of cases) {
    const samples = each.isFresh ? await withFreshServers(session, each) : await withOneServerEach(session, each);
    measured.push({ label: each.label, samples, bars: each.bars });
  }
  return measured;
}

async function withOneServerEach(session, each) {
  const servers = new Map();
  try {
    for (const name of each.servers)
      servers.set(
        name,
        await startPeer(name, { core: session.serverCore, brokers: each.brokers, checksums: each.checksums }),
      );
    for (const server of servers.values()) await once(session, each, server, each.warm ?? []);
    return await session.inTurn(each.servers, (name) => once(session, each, servers.get(name), []));
  } finally {
    await Promise.all([...servers.values()].map((server) => server.end()));
  }
}

function withFreshServers(session, each) {
  return session.inTurn(each.servers, async (name) => {
    const server = await startPeer(name, {
      core: session.serverCore,
      brokers: each.brokers,
      checksums: each.checksums,
    });
    try {
      return await once(session, each, server, []);
    } finally {
      await server.end();
    }
  });
}

/** Flags that are given again take the place of those before. */
async function once(session, { label, mode, flags, figures, derive = (sample) => sample, watchesGaps }, server, again) {
  const where = ['-addr', `127.0.0.1:${server.port}`, '-pid', String(server.pid)];
  const sees = watchesGaps && server.startGaps !== undefined;
  if (sees) await server.startGaps();
  const result = await runNsload({ mode, flags: [...where, ...flags, ...again], core: session.loadCore });
  const sample = {};
  for (const [figure, [path, scale = 1, otherwise]] of Object.entries(figures)) {
    const value = path.split('.').reduce((of, key) => of?.[key], result) ?? otherwise;
    if (typeof value === 'number') sample[figure] = value * scale;
  }
  if (sees) sample.gapMillis = await server.stopGaps();
  const shown = derive(sample);
  const [first] = Object.keys(shown);
  session.tell(`${mode} ${label}, ${server.name}: ${first} ${shown.longestMillis ?? shown[first]}`);
  return shown;
}
