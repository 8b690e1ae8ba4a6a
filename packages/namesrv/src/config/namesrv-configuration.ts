import { ResponseCode } from '@rmqns/protocol';
import { quoteForPeople } from '@rmqns/remoting/json';
import type { EventRecorder } from '../event-recorder.js';
import { isSecretOption, namesrvOption, namesrvOptionNames } from '../namesrv-option-table.js';
import {
  describeOptionProblem,
  type NamesrvOptions,
  NamesrvOptionsError,
  parseOptionText,
  type ResolvedNamesrvOptions,
  resolveNamesrvOptions,
} from '../namesrv-options.js';
import type { NamesrvOption } from '../option-row.js';
import type { Profile } from '../profile.js';
import { isOptionOfRelease, optionOfRelease } from './release-options.js';

/** Keys that a peer may change with `configUpdatePolicy=safe`: they take effect at once, and can do no harm that 318 cannot undo. */
const SAFE_KEYS: ReadonlySet<string> = new Set([
  'orderMessageEnable',
  'returnOrderTopicConfigToBroker',
  'supportActingMaster',
  'enableTopicList',
  'enableAllTopicList',
  'notifyMinBrokerIdChanged',
  'needWaitForService',
  'waitSecondsForService',
]);

const MAX_KEYS_SHOWN = 5;

/** Keys that no peer may change: what they name is a file that this server writes, or decides what peers may change. */
const PROTECTED_KEYS = ['configBlackList', 'configStorePath', 'kvConfigPath', 'rocketmqHome'];

/** What became of an update. Nothing was changed unless it is `ok`. */
export type ConfigUpdateResult =
  | {
      readonly ok: true;
      /** The text of each key that was set, changed or not, as it goes into the file. */
      readonly values: ReadonlyMap<string, string>;
    }
  | { readonly ok: false; readonly code: number; readonly remark: string };

export interface NamesrvConfigurationInit {
  readonly options: ResolvedNamesrvOptions;
  /** All keys of the start-up file, known here or not: they are shown, and those that are not known keep their text. */
  readonly fileProperties?: ReadonlyMap<string, string> | undefined;
  readonly profile: Profile;
  readonly events: EventRecorder;
}

/**
 * The options of a running name server, which codes 318 and 319 change and show (upstream: `Configuration`; reference: nameserver 5.5).
 * Pure: writing to the file is left to its owner.
 */
export class NamesrvConfiguration {
  readonly #profile: Profile;
  readonly #events: EventRecorder;
  /** What the file has and this server does not know, by name. */
  readonly #unknown = new Map<string, string>();
  /** Known keys beyond the profile's own that the file has. */
  readonly #shownBeside = new Set<string>();
  #options: ResolvedNamesrvOptions;

  constructor({ options, fileProperties, profile, events }: NamesrvConfigurationInit) {
    this.#options = options;
    this.#profile = profile;
    this.#events = events;
    for (const [key, text] of fileProperties ?? []) {
      if (namesrvOption(key) === undefined) this.#unknown.set(key, text);
      else this.#shownBeside.add(key);
    }
  }

  /** As they are in effect now; what changes only at the next start is the new value here too. */
  get options(): ResolvedNamesrvOptions {
    return this.#options;
  }

  /** Code 319: one `key=value` a line, without escapes, sorted as 5.x does; what has no value is left out (reference: nameserver 5.6). */
  dump(): string {
    const lines = new Map<string, string>();
    for (const name of namesrvOptionNames) {
      const row = namesrvOption(name);
      if (row === undefined || isSecretOption(name) || !(this.#isShown(row) || this.#shownBeside.has(name))) continue;
      const value = optionOfRelease(this.#options, name);
      if (value !== undefined) lines.set(name, `${name}=${value}\n`);
    }
    for (const [key, text] of this.#unknown) lines.set(key, `${key}=${text}\n`);
    return [...lines.keys()]
      .sort()
      .map((key) => lines.get(key))
      .join('');
  }

  /**
   * Code 318: sets all of the given keys, or none (reference: nameserver 2.12, 5.5).
   *
   * - `safe`: {@link SAFE_KEYS} only, with values that can be; anything else is refused by name.
   * - `apache`: as the release of the profile does, except that files and the black list stay out of reach in every release, and that a
   *   value is refused with which the next start would fail.
   * - `deny`: nothing.
   */
  update(properties: ReadonlyMap<string, string>): ConfigUpdateResult {
    switch (this.#options.configUpdatePolicy) {
      case 'deny':
        return this.#refused('no key may be changed by request (configUpdatePolicy=deny)');
      case 'safe':
        return this.#updateSafely(properties);
      default:
        return this.#updateAsApache(properties);
    }
  }

  /**
   * Sets options as whoever runs the server does.
   *
   * @throws NamesrvOptionsError with everything that is wrong with them, such as that they count at the next start only
   */
  change(options: NamesrvOptions): void {
    resolveNamesrvOptions(options);
    const given = Object.entries(options).flatMap(([key, value]) =>
      value === undefined ? [] : [[key, value] as const],
    );
    const problems = given
      .filter(([key]) => namesrvOption(key)?.effect !== 'live')
      .map(([key, value]) => ({
        kind: 'unsupported' as const,
        key,
        text: String(value),
        problem: 'does not take effect while the server runs; make another one',
      }));
    if (problems.length > 0) throw new NamesrvOptionsError(problems);
    const texts = new Map(given.map(([key, value]) => [key, String(value)]));
    this.#set(Object.fromEntries(given), texts, 'change-options');
  }

  #updateSafely(properties: ReadonlyMap<string, string>): ConfigUpdateResult {
    const refused = [...properties.keys()].filter((key) => !SAFE_KEYS.has(key));
    if (refused.length > 0) {
      return this.#refused(
        `${listKeys(refused)} may not be changed by request (configUpdatePolicy=safe); edit the file of mqnamesrv and restart it`,
      );
    }
    return this.#apply(properties, 'refuse');
  }

  #updateAsApache(properties: ReadonlyMap<string, string>): ConfigUpdateResult {
    const protectedKeys = new Set([...PROTECTED_KEYS, ...this.#options.configBlackList.split(';')]);
    for (const key of properties.keys()) {
      const row = namesrvOption(key);
      // A key of a later release is passed over with all that are not known.
      if (protectedKeys.has(key) && (row === undefined || this.#isShown(row))) return this.#refused(undefined);
    }
    return this.#apply(properties, 'skip');
  }

  /** @param unreadable what to do with a text that is no value of its key at all: Apache takes no notice of it */
  #apply(properties: ReadonlyMap<string, string>, unreadable: 'refuse' | 'skip'): ConfigUpdateResult {
    const values = new Map<string, string>();
    const options: Record<string, string | number | boolean> = {};
    for (const [key, text] of properties) {
      const row = namesrvOption(key);
      if (row === undefined || !(this.#isShown(row) || unreadable === 'refuse')) {
        // As Apache: a key that only the start-up file has is changed, and any other one is passed over.
        if (this.#unknown.has(key)) values.set(key, text);
        continue;
      }
      const readable = unreadable === 'refuse' || row.type !== 'boolean' ? text : javaBoolean(text);
      const parsed = parseOptionText(key, readable);
      if (parsed.problem === undefined) {
        options[key] = parsed.value;
        values.set(key, String(parsed.value));
      } else if (unreadable === 'refuse' || parsed.problem.outOfBounds === true) {
        return { ok: false, code: ResponseCode.SYSTEM_ERROR, remark: describeOptionProblem(parsed.problem) };
      }
    }
    this.#set(options, values, 'update-config');
    return { ok: true, values };
  }

  #set(
    options: Readonly<Record<string, string | number | boolean>>,
    values: ReadonlyMap<string, string>,
    cause: 'update-config' | 'change-options',
  ): void {
    const before = this.#options;
    this.#events.run(() => {
      this.#options = { ...before, ...options };
      for (const [key, after] of values) {
        const former = this.#unknown.get(key) ?? textOf(before[key as keyof ResolvedNamesrvOptions]);
        if (this.#unknown.has(key)) this.#unknown.set(key, after);
        if (former !== after) this.#events.record({ type: 'config.changed', cause, key, before: former, after });
      }
    });
  }

  /** Whether the release of the profile has the key in what 319 shows: not those of its own client. */
  #isShown(row: NamesrvOption): boolean {
    return isOptionOfRelease(row, this.#profile.name) && row.upstream.some((name) => name !== 'NettyClientConfig');
  }

  #refused(why: string | undefined): ConfigUpdateResult {
    const remark = this.#profile.configRefusedRemark;
    return { ok: false, code: ResponseCode.NO_PERMISSION, remark: why === undefined ? remark : `${remark} ${why}` };
  }
}

/** A few of the keys that a peer sent, none of which can break the line. */
function listKeys(keys: readonly string[]): string {
  const shown = keys.slice(0, MAX_KEYS_SHOWN).map((key) => (/^[\w.-]{1,64}$/.test(key) ? key : quoteForPeople(key)));
  const more = keys.length - shown.length;
  return `${shown.join(', ')}${more === 0 ? '' : ` and ${more} more`}`;
}

/** A blank after it, which properties keep, makes it false. */
function javaBoolean(text: string): string {
  return String(text.toLowerCase() === 'true');
}

function textOf(value: string | number | boolean | undefined): string | undefined {
  return value === undefined ? undefined : String(value);
}
