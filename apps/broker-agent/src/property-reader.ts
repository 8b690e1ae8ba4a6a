import type { Setting } from '@rmqns/program';
import { parseInt32 } from '@rmqns/remoting/json';

/** Reads typed values out of properties; what is wrong with them is gathered, so that all of it can be told at once. */
export class PropertyReader {
  readonly problems: string[] = [];
  readonly #settings: ReadonlyMap<string, Setting>;

  /** Of settings with the same key the last one counts. */
  constructor(settings: readonly Setting[]) {
    this.#settings = new Map(settings.map((setting) => [setting.key, setting]));
  }

  /** Where a key was set, to stand before it; just blank for one that was not. */
  where(key: string): string {
    return this.#settings.get(key)?.where ?? '';
  }

  complain(key: string, problem: string): void {
    this.problems.push(`${this.where(key)}${key}: ${problem}`);
  }

  /** As written, trailing blanks included, which Java keeps; `undefined` for an absent or empty value. */
  text(key: string): string | undefined {
    return this.#settings.get(key)?.text || undefined;
  }

  integer(key: string, fallback: number, minimum: number, maximum: number): number {
    const text = this.text(key);
    if (text === undefined) return fallback;
    const value = parseInt32(text.trim());
    if (value === undefined) this.complain(key, `${JSON.stringify(text)} is no whole number`);
    else if (value < minimum || value > maximum)
      this.complain(key, `${JSON.stringify(text)} is not between ${minimum} and ${maximum}`);
    else return value;
    return fallback;
  }

  boolean(key: string, fallback: boolean): boolean {
    const text = this.text(key);
    if (text === undefined) return fallback;
    const value = text.trim().toLowerCase();
    if (value === 'true') return true;
    if (value !== 'false') this.complain(key, `${JSON.stringify(text)} is neither true nor false`);
    return false;
  }
}
