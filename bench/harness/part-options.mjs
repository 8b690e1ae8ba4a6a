import { parseArgs } from 'node:util';

/**
 * The arguments of a program that measures the name server in parts, each in rounds.
 *
 * @param {string[]} args
 * @param {{ parts: { name: string }[], chosen?: { name: string }[], rounds: number, more?: object }} program its parts, those
 *   that are measured by default, how often, and further options as `parseArgs` takes them
 * @throws Error that says what is wrong with the arguments
 */
export function parsePartOptions(args, { parts: known, chosen = known, rounds: often, more = {} }) {
  const { values } = parseArgs({
    args,
    options: {
      only: { type: 'string', default: chosen.map(({ name }) => name).join(',') },
      rounds: { type: 'string', default: String(often) },
      'server-core': { type: 'string', default: '0' },
      'load-core': { type: 'string', default: '1' },
      out: { type: 'string' },
      'no-write': { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
      ...more,
    },
  });
  const parts = values.only.split(',').map((name) => {
    const part = known.find((each) => each.name === name);
    if (part === undefined) throw new Error(`there is no part ${name}: ${known.map((each) => each.name).join(', ')}`);
    return part;
  });
  const rounds = Number(values.rounds);
  if (!Number.isInteger(rounds) || rounds < 1) throw new Error('--rounds is a number from 1');
  return {
    parts,
    rounds,
    serverCore: Number(values['server-core']),
    loadCore: Number(values['load-core']),
    out: values.out,
    writes: !values['no-write'],
    needs: values.need === true,
    help: values.help,
  };
}
