import { markdownTable, median, short, spread } from './results.mjs';

/**
 * The text of one part of a benchmark: its cases as a table, a row for each case and server, or the tables, notes and fits that it made itself.
 *
 * @param {{ title: string, about: string, columns?: [string, string][], ratioOf?: string }} part
 * @param {{ cases?: object[], tables?: object[], notes?: string[] }} result each case is `{ label, samples: { SERVER: samples } }`
 */
export function partText({ title, about, columns, ratioOf }, { cases = [], tables = [], notes = [] }) {
  const lines = [`## ${title}`, '', about];
  if (cases.length > 0) lines.push('', casesTable(cases, columns, ratioOf));
  for (const { caption, head, rows } of tables) {
    if (caption !== undefined) lines.push('', caption);
    lines.push(
      '',
      markdownTable(
        head,
        rows.map((row) => row.map((cell) => (Array.isArray(cell) ? spread(cell) : cell))),
      ),
    );
  }
  if (notes.length > 0) lines.push('', ...notes.map((note) => `- ${note}`));
  return lines.join('\n');
}

function casesTable(cases, columns, ratioOf) {
  const [first] = Object.keys(cases[0].samples);
  const others = [...new Set(cases.flatMap(({ samples }) => Object.keys(samples)))].filter((name) => name !== first);
  const ratioTitle = columns.find(([, figure]) => figure === ratioOf)?.[0];
  const ratioHeads = ratioOf === undefined ? [] : [`${ratioTitle}: ${first} / this`];
  const head = ['', 'server', ...columns.map(([title]) => title), ...ratioHeads];
  const rows = cases.flatMap(({ label, samples }) =>
    [first, ...others].flatMap((server) => {
      const own = samples[server];
      if (own === undefined) return [];
      const cells = columns.map(([, figure]) => spread(own.map((sample) => sample[figure])));
      const ratios =
        ratioOf === undefined ? [] : [server === first ? '' : spread(ratiosOf(samples, first, server, ratioOf))];
      return [[server === first ? label : '', server, ...cells, ...ratios]];
    }),
  );
  return markdownTable(head, rows);
}

/** Round by round, so that a machine whose speed drifts does not bend them. */
export function ratiosOf(samples, ours, other, figure) {
  return (samples[ours] ?? []).flatMap((sample, round) => {
    const ratio = sample[figure] / samples[other]?.[round]?.[figure];
    return Number.isFinite(ratio) ? [ratio] : [];
  });
}

/** The panels of a part for `svgPage`. */
export function partPanels({ plots = [] }, { cases = [], lines = [] }) {
  const bars = plots.map(({ title, figure }) => ({
    title,
    groups: cases.map(({ label, samples }) => ({
      label,
      bars: Object.entries(samples).flatMap(([server, own]) => {
        const values = own.map((sample) => sample[figure]).filter(Number.isFinite);
        if (values.length === 0) return [];
        return [{ label: server, value: median(values), min: Math.min(...values), max: Math.max(...values) }];
      }),
    })),
  }));
  return [...bars, ...lines];
}

/** Machine, product and method in two lines. */
export function machineText(machine, product) {
  return [
    `rmqns ${product}. Node ${machine.node} on ${machine.system}, ${machine.processors}, ${machine.memoryGiB} GiB; load average at the start ${short(machine.loadAverageAtStart)}.`,
    machine.pinned
      ? 'The servers are held on one processor, the load on another.'
      : 'Servers and load are NOT held on processors of their own here.',
  ].join(' ');
}
