import type { ProfileName } from './profile.js';

/** setTimeout of Node takes no longer delay: past it, it fires at once. */
export const MAX_DELAY_MILLIS = 2_147_483_647;
/** The same in seconds. */
export const MAX_DELAY_SECONDS = Math.floor(MAX_DELAY_MILLIS / 1_000);

/**
 * When a changed value shows: at once; when the configuration is read again (SIGHUP); at the next start; or never, because the thing it sets
 * does not exist here or is not built yet.
 */
export type OptionEffect = 'live' | 'reload' | 'start' | 'none';

interface OptionRow {
  /** Upstream's classes that have the key; empty for a key of rmqns alone. */
  readonly upstream: readonly ('NamesrvConfig' | 'NettyServerConfig' | 'NettyClientConfig')[];
  /** The first release whose name server knows the key. */
  readonly since: ProfileName | 'rmqns';
  /** `none`: accepted, shown and otherwise ignored. */
  readonly effect: OptionEffect;
  readonly unit?: 'milliseconds' | 'seconds' | 'bytes';
  /** One sentence. */
  readonly meaning: string;
}

interface NumberRow extends OptionRow {
  /** `int` is Java's int; `long` reaches to the largest safe integer. */
  readonly type: 'int' | 'long';
  /** `undefined`: the server decides, as `meaning` says. */
  readonly default: number | undefined;
  /** Smallest and largest value taken; the type's own range when absent. */
  readonly min?: number;
  readonly max?: number;
}

interface BooleanRow extends OptionRow {
  readonly type: 'boolean';
  /** `undefined`: as `meaning` says. */
  readonly default: boolean | undefined;
  /** The only value taken, and why. */
  readonly only?: { readonly value: boolean; readonly because: string };
}

interface StringRow extends OptionRow {
  readonly type: 'string';
  readonly default: string | undefined;
  /** The values taken; any text when absent. */
  readonly choices?: readonly string[];
  /** Whether choices are taken in any case. */
  readonly anyCase?: boolean;
  /** Shown to nobody. */
  readonly secret?: boolean;
  /** What is wrong with a text, to stand after the key; absent where any will do. */
  readonly problem?: (text: string) => string | undefined;
}

export type NamesrvOption = NumberRow | BooleanRow | StringRow;
