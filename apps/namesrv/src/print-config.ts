import { isSecretOption, namesrvOptionNames, optionOfRelease } from '@rmqns/namesrv';
import type { NamesrvConfig } from './namesrv-config.js';

/** In place of a password. */
const HIDDEN = '******';

/** The lines of `--print-config`: every option with its value and where that was set, in columns. */
export function printConfig({ options, origins }: NamesrvConfig): string {
  const rows = namesrvOptionNames.map((name) => {
    const origin = origins.get(name);
    const source = origin === undefined ? 'default' : `${origin.source} ${origin.place}`;
    return [
      `${name}=${isSecretOption(name) && origin !== undefined ? HIDDEN : (optionOfRelease(options, name) ?? '')}`,
      source,
    ] as const;
  });
  const width = Math.max(...rows.map(([assignment]) => Math.min(assignment.length, 60)));
  return rows.map(([assignment, source]) => `${assignment.padEnd(width)}  # ${source}`).join('\n');
}

/** The same for programs: `{"listenPort":{"value":9876,"source":"default"},…}`; an option that is not set has the value null. */
export function printConfigAsJson({ options, origins }: NamesrvConfig): string {
  const entries = namesrvOptionNames.map((name) => {
    const origin = origins.get(name);
    const value = isSecretOption(name) && origin !== undefined ? HIDDEN : (optionOfRelease(options, name) ?? null);
    return [name, { value, ...(origin ?? { source: 'default' }) }] as const;
  });
  return JSON.stringify(Object.fromEntries(entries), null, 2);
}
