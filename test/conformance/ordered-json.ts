/**
 * A JSON text with what comes from hash maps in a fixed order, and everything else byte for byte as it was: the order of a bean's
 * members, quoted and unquoted names, escapes, numbers.
 *
 * Items of lists are sorted. Members are sorted of the objects under the names given, which are maps.
 *
 * @throws Error for what is no JSON
 */
export function withMapsSorted(text: string, mapNames: ReadonlySet<string>): string {
  const reader = new Reader(text, mapNames);
  const sorted = reader.value('');
  if (!reader.atEnd) throw new Error(`there is more after the JSON value: ${text.slice(0, 80)}`);
  return sorted;
}

const STRING = /"(?:[^"\\]|\\.)*"/y;
const SCALAR = /-?[\w.+-]+/y;

class Reader {
  readonly #text: string;
  readonly #mapNames: ReadonlySet<string>;
  #at = 0;

  constructor(text: string, mapNames: ReadonlySet<string>) {
    this.#text = text;
    this.#mapNames = mapNames;
  }

  get atEnd(): boolean {
    return this.#at === this.#text.length;
  }

  /** Reads a value; `name` is that of the member it belongs to. */
  value(name: string): string {
    if (this.#skip('[')) {
      return `[${this.#until(']', () => this.value(name))
        .sort()
        .join()}]`;
    }
    if (this.#skip('{')) {
      const members = this.#until('}', () => this.#member());
      return `{${(this.#mapNames.has(name) ? members.sort() : members).join()}}`;
    }
    return this.#take(STRING) ?? this.#must(SCALAR);
  }

  #member(): string {
    const name = this.#take(STRING) ?? this.#must(SCALAR);
    if (!this.#skip(':')) throw this.#wrong();
    return `${name}:${this.value(name.replaceAll('"', ''))}`;
  }

  #until(end: string, read: () => string): string[] {
    const parts: string[] = [];
    while (!this.#skip(end)) {
      if (parts.length > 0 && !this.#skip(',')) throw this.#wrong();
      parts.push(read());
    }
    return parts;
  }

  #skip(character: string): boolean {
    if (this.#text[this.#at] !== character) return false;
    this.#at += 1;
    return true;
  }

  #take(pattern: RegExp): string | undefined {
    pattern.lastIndex = this.#at;
    const [found] = pattern.exec(this.#text) ?? [];
    this.#at += found?.length ?? 0;
    return found;
  }

  #must(pattern: RegExp): string {
    const found = this.#take(pattern);
    if (found === undefined) throw this.#wrong();
    return found;
  }

  #wrong(): Error {
    return new Error(`no JSON at character ${this.#at}: ${this.#text.slice(this.#at, this.#at + 40)}`);
  }
}
