/** `npm run bench:faults`: the same faults put to ours and to other RPC packages; see bench/README.md. */
import { parseArgs } from 'node:util';
import { installPeers } from '../harness/install-peers.mjs';
import { describeMachine, describeProduct } from '../harness/machine.mjs';
import { runProgram } from '../harness/program.mjs';
import { markdownTable, writeResult } from '../harness/results.mjs';
import { loadPeer, PEERS, versionsOf } from '../rpc/peers.mjs';
import { openRoom } from './room.mjs';
import { flood } from './scenarios/flood.mjs';
import { frameNeverEnds } from './scenarios/frame-never-ends.mjs';
import { frozenServer } from './scenarios/frozen-server.mjs';
import { killedServer } from './scenarios/killed-server.mjs';
import { leavingClient } from './scenarios/leaving-client.mjs';
import { lengthOfTwoGib } from './scenarios/length-of-2-gib.mjs';
import { overload } from './scenarios/overload.mjs';
import { peerNeverReads } from './scenarios/peer-never-reads.mjs';
import { resetAtEachAwait } from './scenarios/reset-at-each-await.mjs';

const FAULTS = {
  killed: killedServer,
  frozen: frozenServer,
  'never-reads': peerNeverReads,
  'never-ends': frameNeverEnds,
  '2-gib': lengthOfTwoGib,
  reset: resetAtEachAwait,
  flood,
  overload,
  leaving: leavingClient,
};

/** One form of ours: they differ in what a call costs, not in what a connection does. */
const DEFAULT_PEERS = PEERS.filter((name) => !name.startsWith('rmqns') || name === 'rmqns-raw-json');

/** What a scenario may take with all its waits; each of them is shorter. */
const SCENARIO_MILLIS = 90_000;

const usage = `npm run bench:faults -- [options]

  --faults A,B   ${Object.keys(FAULTS).join(', ')} (all)
  --peers A,B    ${DEFAULT_PEERS.join(', ')} (all of these)
  --out FOLDER   where the results are written (bench/results)
  --no-write     only print them
  --help
`;

await runProgram({ name: 'bench:faults', usage, parse: parseOptions, run: main });

async function main(options, tell) {
  installPeers(options.peers);
  const machine = describeMachine();
  const product = describeProduct();
  const peers = await Promise.all(options.peers.map(loadPeer));
  const results = {};
  for (const fault of options.faults) {
    results[fault] = {};
    for (const peer of peers) {
      const result = await provoke(FAULTS[fault], peer);
      results[fault][peer.name] = result;
      tell(`${fault} ${peer.name}: ${result.error ?? result.cells.join(' | ')}`);
    }
  }
  const text = reportText({ machine, product, peers, results });
  process.stdout.write(`${text}\n`);
  if (options.writes) {
    for (const path of writeResult({
      name: 'faults',
      folder: options.out,
      figures: { machine, product, results },
      text,
    })) {
      tell(`wrote ${path}`);
    }
  }
}

function parseOptions(args) {
  const { values } = parseArgs({
    args,
    options: {
      faults: { type: 'string', default: Object.keys(FAULTS).join(',') },
      peers: { type: 'string', default: DEFAULT_PEERS.join(',') },
      out: { type: 'string' },
      'no-write': { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
    },
  });
  const list = (name, known) => {
    const chosen = values[name].split(',');
    for (const item of chosen)
      if (!known.includes(item)) throw new Error(`--${name}: ${item} is none of ${known.join(', ')}`);
    return chosen;
  };
  return {
    faults: list('faults', Object.keys(FAULTS)),
    peers: list('peers', PEERS),
    out: values.out,
    writes: !values['no-write'],
    help: values.help,
  };
}

/** In fresh processes, which are ended whatever became of them. */
async function provoke(scenario, peer) {
  let room;
  let timer;
  try {
    room = await openRoom(peer.name);
    const tooLong = new Promise((_resolve, reject) => {
      timer = setTimeout(() => reject(new Error(`not done within ${SCENARIO_MILLIS} ms`)), SCENARIO_MILLIS);
    });
    return await Promise.race([scenario.run(room, peer), tooLong]);
  } catch (error) {
    return { error: error.message };
  } finally {
    clearTimeout(timer);
    await room?.close();
  }
}

function reportText({ machine, product, peers, results }) {
  const versions = peers.map(versionsOf).filter((text) => text !== '');
  const lines = [
    '# Faults',
    '',
    `@rmqns/remoting ${product}; ${versions.join('; ')}.`,
    `Node ${machine.node} on ${machine.system}, ${machine.processors}, ${machine.memoryGiB} GiB.`,
    '',
    'Each fault meets each package in fresh processes: a server, the client concerned, and another client that calls each 10 ms and has no part in it. Where ' +
      'a package has a setting for a fault, it is set so that the fault can be noticed within about 5 s (bench/rpc/peers, `brisk`); else its defaults ' +
      'hold. Memory is the resident set as the system counts it; `after` is a second after the end of the fault.',
  ];
  for (const [fault, byPeer] of Object.entries(results)) {
    const { title, columns } = FAULTS[fault];
    const rows = Object.entries(byPeer).map(([peer, { cells, error }]) => [
      peer,
      ...(cells ?? columns.map((_, i) => (i === 0 ? `could not be measured: ${error}` : '-'))),
    ]);
    lines.push('', `## ${title[0].toUpperCase()}${title.slice(1)}`, '', markdownTable(['peer', ...columns], rows));
  }
  return lines.join('\n');
}
