import { type Document, isMap, isNode, isScalar, type LineCounter } from 'yaml';

/** The way to a key, from the root. */
export type YamlPath = readonly (string | number)[];

/** What is at a path of a document's plain value; `undefined` where there is nothing. */
export function valueAt(root: unknown, path: YamlPath): unknown {
  let value = root;
  for (const key of path) {
    if (typeof value !== 'object' || value === null) return undefined;
    value = (value as Readonly<Record<string | number, unknown>>)[key];
  }
  return value;
}

/** Where keys stand in the file, for complaints. */
export class YamlPlaces {
  readonly #file: string;
  readonly #document: Document;
  readonly #lines: LineCounter;
  /** Keys that the command line set. */
  readonly #overridden: string[] = [];

  constructor(file: string, document: Document, lines: LineCounter) {
    this.#file = file;
    this.#document = document;
    this.#lines = lines;
  }

  override(path: YamlPath): void {
    this.#overridden.push(path.join('.'));
  }

  /** `file:line key: problem`; for a key that is missing the line of what it is missing in. */
  complaint(path: YamlPath, problem: string): string {
    const key = path.join('.');
    if (this.#overridden.some((set) => key === set || key.startsWith(`${set}.`))) return `--set ${key}: ${problem}`;
    const line = this.#line(path);
    return `${this.#file}${line === undefined ? '' : `:${line}`} ${key === '' ? '' : `${key}: `}${problem}`;
  }

  #line(path: YamlPath): number | undefined {
    for (let depth = path.length; depth > 0; depth--) {
      const offset = this.#offset(path.slice(0, depth));
      if (offset !== undefined) return this.#lines.linePos(offset).line;
    }
    return undefined;
  }

  #offset(path: YamlPath): number | undefined {
    const parent = this.#document.getIn(path.slice(0, -1), true);
    const pair = isMap(parent)
      ? parent.items.find(({ key }) => isScalar(key) && String(key.value) === String(path.at(-1)))
      : undefined;
    const node = pair !== undefined ? pair.key : this.#document.getIn(path, true);
    return isNode(node) ? node.range?.[0] : undefined;
  }
}
