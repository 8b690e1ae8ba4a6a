/** The messages that a client waits for: each body begins with `NAME#NUMBER `. */
export class AwaitedMessages {
  /** Settles when each has come. */
  all;
  #missing = new Set();
  #seen = new Set();
  #twice = new Set();
  #resolve;

  /** @param names whose messages; `count` of each, numbered from 0 */
  constructor(names, count) {
    for (const name of names) {
      for (let i = 0; i < count; i += 1) this.#missing.add(`${name}#${i}`);
    }
    this.all = new Promise((resolve) => {
      this.#resolve = resolve;
    });
  }

  take(body) {
    const [id] = body.toString('utf8').split(' ', 1);
    if (this.#seen.has(id)) this.#twice.add(id);
    if (this.#missing.delete(id)) this.#seen.add(id);
    if (this.#missing.size === 0) this.#resolve();
  }

  /** Tells on stdout how it went; the exit code: 0 if each came once, else 1. */
  report() {
    const good = this.#missing.size + this.#twice.size === 0;
    const result = good ? 'received all once' : `MISSING ${[...this.#missing]} TWICE ${[...this.#twice]}`;
    process.stdout.write(`${result}\n`);
    return good ? 0 : 1;
  }
}

/** The bodies that a client sends, in order: `NAME#NUMBER `, and the first is large. */
export function bodiesOf(name, count) {
  return Array.from({ length: count }, (_, i) => Buffer.from(`${name}#${i} ${i === 0 ? 'large '.repeat(2000) : ''}`));
}
