/** `npm run profile`: where the name server's time goes while routes are looked up, or a large broker registers again; see bench/README.md. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { machineText } from '../harness/case-report.mjs';
import { describeMachine, describeProduct } from '../harness/machine.mjs';
import { groupProfile } from './profile-groups.mjs';
import { OURS } from './servers.mjs';
import { Session, withUsage } from './session.mjs';

const TOPICS = 100;
const REGISTERED_TOPICS = 10_000;
const WARM_LOOKUPS = 100_000;
const FUNCTIONS = 40;

const LOADS = {
  lookup: {
    title: 'lookups of 100 topics on 8 brokers each, 16 connections x 8',
    unit: 'lookup',
    async prepare(load, port) {
      const topology = { brokers: 8, topics: TOPICS };
      await load.ask('seed', { port, topology });
      await load.ask('openLookups', { port, topology, connections: 16 });
      await load.ask('window', { perConnection: 8, seconds: 1, leastAnswers: WARM_LOOKUPS, mostSeconds: 10 });
    },
    run: async (load, seconds) => (await load.ask('window', { perConnection: 8, seconds })).answers,
  },
  register: {
    title: `unchanged registrations of ${REGISTERED_TOPICS.toLocaleString('en')} topics, JSON of 5.3.3, stamped anew each time`,
    unit: 'registration',
    async prepare(load, port) {
      await load.ask('seed', { port, topology: { topics: REGISTERED_TOPICS } });
      await load.ask('register', { kind: 'unchanged', seconds: 2 });
    },
    run: async (load, seconds) => (await load.ask('register', { kind: 'unchanged', seconds })).registrations,
  },
};

const usage = `npm run profile -- [lookup|register] [options]

  --seconds N      profiled (5)
  --out FOLDER     where the text is written (bench/results)
  --no-write       only print it
  --help
`;

await main();

async function main() {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      seconds: { type: 'string', default: '5' },
      out: { type: 'string', default: fileURLToPath(new URL('../results/', import.meta.url)) },
      'no-write': { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
    },
  });
  const [name = 'lookup'] = positionals;
  const chosen = LOADS[name];
  if (values.help || chosen === undefined) {
    process[values.help ? 'stdout' : 'stderr'].write(usage);
    process.exitCode = values.help ? 0 : 2;
    return;
  }
  const machine = describeMachine();
  const product = describeProduct();
  const session = new Session({ rounds: 1, serverCore: 0, loadCore: 1, tell: () => {} });
  try {
    const server = await session.startServer(OURS);
    const load = session.startLoad();
    await chosen.prepare(load, server.port);
    // Without the profiler first: what it costs is not in the figure.
    const plain = await withUsage(server, () => chosen.run(load, Number(values.seconds)));
    await server.startProfile();
    const count = await chosen.run(load, Number(values.seconds));
    const profile = groupProfile(await server.stopProfile());
    const text = profileText({ machine, product, chosen, plain, count, profile });
    process.stdout.write(text);
    if (values['no-write']) return;
    mkdirSync(values.out, { recursive: true });
    const stamp = new Date().toISOString().slice(0, 16).replace(/[-:]/g, '').replace('T', '-');
    const path = `${values.out.replace(/\/?$/, '/')}profile-${name}-${stamp}.txt`;
    writeFileSync(path, text);
    process.stderr.write(`profile: wrote ${path}\n`);
  } finally {
    await session.endAll();
  }
}

function profileText({ machine, product, chosen, plain, count, profile }) {
  const { totalMicros, idleMicros, groups, functions } = profile;
  const share = (micros) => `${((100 * micros) / totalMicros).toFixed(1).padStart(5)} %`;
  const each = (micros) => (micros / count).toFixed(count > 10_000 ? 3 : 1).padStart(9);
  const lines = [
    `Where time goes: ${chosen.title}.`,
    machineText(machine, product),
    '',
    `Without the profiler: ${(plain.cpuMicros / plain.result).toFixed(2)} µs of CPU a ${chosen.unit}, ${plain.result} of them.`,
    `Profiled: ${count}; ${(totalMicros / 1e6).toFixed(2)} s at work and ${(idleMicros / 1e6).toFixed(2)} s idle, sampled each 0.1 ms. Self time; what V8 put into its callers counts as theirs.`,
    `"kernel read, poll, libuv" is all native code that no function called; the kernel's part of writing is in "kernel write".`,
    '',
    `  share  µs a ${chosen.unit}  for`,
    ...groups
      .filter(({ micros }) => micros > 0)
      .map(({ group, micros }) => `${share(micros)}  ${each(micros)}  ${group}`),
    '',
    `  share  µs a ${chosen.unit}  function`,
    ...functions
      .slice(0, FUNCTIONS)
      .map(({ name, where, group, micros }) =>
        `${share(micros)}  ${each(micros)}  ${name}  ${where === name ? '' : where}  [${group}]`.trimEnd(),
      ),
    '',
  ];
  return lines.join('\n');
}
