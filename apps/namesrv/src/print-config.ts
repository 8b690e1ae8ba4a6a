import { namesrvOptionNames, optionOfRelease } from '@rmqns/namesrv';
import type { NamesrvConfig } from './namesrv-config.js';

/** The lines of `--print-config`: every option with its value and where that was set, in columns. */
export function printConfig({ options, origins }: NamesrvConfig): string {
  const rows = namesrvOptionNames.map((name) => {
    const origin = origins.get(name);
    const source = origin === undefined ? 'default' : `${origin.source} ${origin.place}`;
    return [`${name}=${optionOfRelease(options, name) ?? ''}`, source] as const;
  });
  const width = Math.max(...rows.map(([assignment]) => Math.min(assignment.length, 60)));
  return rows.map(([assignment, source]) => `${assignment.padEnd(width)}  # ${source}`).join('\n');
}

/** The same for programs: `{"listenPort":{"value":9876,"source":"default"},…}`; an option that is not set has the value null. */
export function printConfigAsJson({ options, origins }: NamesrvConfig): string {
  const entries = namesrvOptionNames.map((name) => {
    const value = optionOfRelease(options, name) ?? null;
    return [name, { value, ...(origins.get(name) ?? { source: 'default' }) }] as const;
  });
  return JSON.stringify(Object.fromEntries(entries), null, 2);
}
