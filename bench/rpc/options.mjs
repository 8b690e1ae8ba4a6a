import { parseArgs } from 'node:util';
import { LOADS, parseShape } from './loads.mjs';
import { PEERS } from './peers.mjs';

export const usage = `npm run bench:rpc -- [options]

  --rounds N            rounds, each with every peer in turn (5)
  --seconds N           measured time of each peer, load, shape and round (2)
  --warmup-seconds N    before the first measurement of a process (1)
  --warmup-calls N      and at least so many calls, but never longer than three times --warmup-seconds (50000)
  --peers A,B           ${PEERS.join(', ')} (all)
  --loads A,B           ${Object.keys(LOADS).join(', ')}; all (echo-1k)
  --shapes A,B          connections x calls in flight, for loads without a shape of their own (1x1,1x64,16x8,200x2)
  --server-core N       processor of the server (0)
  --client-core N       processor of the client with the load (1)
  --out FOLDER          where the results are written (bench/results)
  --no-write            only print them
  --need                end with 1 when a bar is missed
  --smoke               one short round of everything, to see that it works; writes nothing
  --help
`;

/** @throws Error that says what is wrong with the arguments */
export function parseOptions(args) {
  const { values } = parseArgs({
    args,
    options: {
      rounds: { type: 'string', default: '5' },
      seconds: { type: 'string', default: '2' },
      'warmup-seconds': { type: 'string', default: '1' },
      'warmup-calls': { type: 'string', default: '50000' },
      peers: { type: 'string', default: PEERS.join(',') },
      loads: { type: 'string', default: 'echo-1k' },
      shapes: { type: 'string', default: '1x1,1x64,16x8,200x2' },
      'server-core': { type: 'string', default: '0' },
      'client-core': { type: 'string', default: '1' },
      out: { type: 'string' },
      'no-write': { type: 'boolean', default: false },
      need: { type: 'boolean', default: false },
      smoke: { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
    },
  });
  const number = (name, min, max) => {
    const value = Number(values[name]);
    if (!(value >= min && value <= max))
      throw new Error(`--${name} must be from ${min} to ${max}, not ${values[name]}`);
    return value;
  };
  const list = (name, known, all) => {
    const chosen = values[name] === 'all' ? all : values[name].split(',');
    for (const item of chosen)
      if (!known.includes(item)) throw new Error(`--${name}: ${item} is none of ${known.join(', ')}`);
    return chosen;
  };
  const shapes = values.shapes.split(',');
  for (const shape of shapes) parseShape(shape);
  return {
    rounds: values.smoke ? 1 : number('rounds', 1, 100),
    seconds: values.smoke ? 0.3 : number('seconds', 0.1, 60),
    warmupSeconds: values.smoke ? 0.2 : number('warmup-seconds', 0, 60),
    warmupCalls: values.smoke ? 0 : number('warmup-calls', 0, 1e7),
    peers: list('peers', PEERS, PEERS),
    loads: list('loads', Object.keys(LOADS), Object.keys(LOADS)),
    shapes,
    serverCore: number('server-core', 0, 1023),
    clientCore: number('client-core', 0, 1023),
    out: values.out,
    writes: !values['no-write'] && !values.smoke,
    need: values.need,
    help: values.help,
  };
}
