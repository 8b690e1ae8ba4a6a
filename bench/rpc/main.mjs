/** `npm run bench:rpc`: ours beside other RPC packages; see bench/README.md. */
import { makeCertificate } from '../harness/certificate.mjs';
import { installPeers } from '../harness/install-peers.mjs';
import { describeMachine, describeProduct } from '../harness/machine.mjs';
import { runProgram } from '../harness/program.mjs';
import { short, writeResult } from '../harness/results.mjs';
import { judgeBars } from './bars.mjs';
import { LOADS } from './loads.mjs';
import { measure } from './measure.mjs';
import { parseOptions, usage } from './options.mjs';
import { loadPeer, versionsOf } from './peers.mjs';
import { reportText } from './report.mjs';

await runProgram({ name: 'bench:rpc', usage, parse: parseOptions, run: main });

async function main(options, tell) {
  installPeers(options.peers);
  const machine = describeMachine();
  const product = describeProduct();
  const peers = await Promise.all(options.peers.map(loadPeer));
  const tls = options.loads.some((load) => LOADS[load].tls) ? makeCertificate() : undefined;
  const shapesOf = (load) => LOADS[load].shapes ?? options.shapes;

  const results = new Map();
  const samplesOf = (load, shape, peer) => results.get(`${load} ${shape} ${peer}`) ?? [];
  for (let round = 1; round <= options.rounds; round++) {
    for (const load of options.loads) {
      for (const peer of peers) {
        const shapes = shapesOf(load);
        const skipped = reasonToSkip(peer, LOADS[load], tls);
        const samples =
          skipped === undefined
            ? await measure({ peer, loadName: load, shapes, tls, options })
            : shapes.map((shape) => ({ shape, skipped }));
        for (const sample of samples) {
          const key = `${load} ${sample.shape} ${peer.name}`;
          results.set(key, [...(results.get(key) ?? []), sample]);
          if (skipped === undefined) tell(`round ${round}/${options.rounds} ${key}: ${figuresOf(sample)}`);
        }
      }
    }
  }

  const bars = judgeBars(samplesOf);
  const versions = peers
    .map(versionsOf)
    .filter((text) => text !== '')
    .join('; ');
  const text = reportText({ machine, product, options, peers: options.peers, versions, shapesOf, samplesOf, bars });
  process.stdout.write(`${text}\n`);
  if (options.writes) {
    const figures = { machine, product, versions, options, bars, samples: Object.fromEntries(results) };
    for (const path of writeResult({ name: 'rpc', folder: options.out, figures, text })) {
      tell(`wrote ${path}`);
    }
  }
  if (options.need && bars.some(({ holds }) => !holds)) process.exitCode = 1;
}

function reasonToSkip(peer, load, tls) {
  if (load.needs !== undefined && !peer.traits[load.needs]) return 'not among what it does, or not built here';
  if (load.tls && tls === undefined) return 'no openssl to make a certificate with';
  return undefined;
}

/** What progress shows. */
function figuresOf({ error, requestsPerSecond, serverMicros, kibPerConnection }) {
  if (error !== undefined) return error;
  return kibPerConnection === undefined
    ? `${short(requestsPerSecond)} req/s, server ${short(serverMicros)} µs`
    : `${short(kibPerConnection)} KiB a connection`;
}
