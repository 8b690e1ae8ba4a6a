import { availableParallelism } from 'node:os';
import {
  isOptionOfRelease,
  type NamesrvOptionName,
  namesrvOption,
  namesrvOptionNames,
  optionOfRelease,
  type ResolvedNamesrvOptions,
} from '@rmqns/namesrv';

/**
 * The lines of `-p`, as the release of the profile prints them: its keys in order of declaration, an unset one empty; 5.x adds those of its
 * own client (reference: nameserver 5.2).
 */
export function printConfigItems(options: ResolvedNamesrvOptions): string {
  const names = namesrvOptionNames.filter((name) => isOptionOf('NamesrvConfig', name, options));
  const server = namesrvOptionNames.filter((name) => isOptionOf('NettyServerConfig', name, options));
  const lines = [...names, ...server].map((name) => `${name}=${optionOfRelease(options, name) ?? ''}`);
  if (options.profile === '5.3.3') lines.push(...clientLines(options));
  return lines.join('\n');
}

function isOptionOf(upstream: string, name: NamesrvOptionName, { profile }: ResolvedNamesrvOptions): boolean {
  const row = namesrvOption(name);
  return row !== undefined && isOptionOfRelease(row, profile) && row.upstream.some((each) => each === upstream);
}

function clientLines(options: ResolvedNamesrvOptions): string[] {
  const own = namesrvOptionNames.filter((name) => namesrvOption(name)?.upstream[0] === 'NettyClientConfig');
  const marks = ['writeBufferHighWaterMark', 'writeBufferLowWaterMark'] as const;
  const names = own.flatMap((name) => (name === 'disableCallbackExecutor' ? [...marks, name] : name));
  return names.map((name) => {
    const value = name === 'clientCallbackExecutorThreads' ? (options[name] ?? availableParallelism()) : options[name];
    // The only key whose field and setter are named differently.
    return `${name === 'scanAvailableNameSrv' ? 'isScanAvailableNameSrv' : name}=${value ?? ''}`;
  });
}
