import { decodePropertiesBytes, editProperties, parseProperties } from '@rmqns/protocol';
import { type ApacheProcesses, type CapturedProcess, timed, useApache } from '@rmqns/test-kit';
import { expect } from 'chai';
import fc from 'fast-check';

type Entries = readonly (readonly [key: string, value: string])[];

const REPLY_MILLIS = 30_000;

/** java.util.Properties, asked through `PropertiesPeer.java`. */
class JavaProperties {
  readonly #process: CapturedProcess;
  readonly #waiting: ((line: string) => void)[] = [];

  constructor(apache: ApacheProcesses) {
    this.#process = apache.startJava('5.3.3', 'PropertiesPeer.java', (line) => this.#waiting.shift()?.(line));
  }

  loadText(text: string): Promise<Entries | 'error'> {
    return this.#ask(`text ${utf16(text).toString('base64')}`);
  }

  loadBytes(bytes: Uint8Array): Promise<Entries | 'error'> {
    return this.#ask(`bytes ${Buffer.from(bytes).toString('base64')}`);
  }

  async #ask(request: string): Promise<Entries | 'error'> {
    const answer = new Promise<string>((resolve) => this.#waiting.push(resolve));
    this.#process.writeLine(request);
    const line = await timed(answer, REPLY_MILLIS, () => `no answer\n${this.#process.tail()}`);
    if (line === 'error') return 'error';
    const list = line.slice('entries '.length);
    if (list === '') return [];
    return list.split(',').map((pair) => {
      const [key = '', value = ''] = pair.split('=').map((part) => fromUtf16(Buffer.from(part, 'base64')));
      return [key, value] as const;
    });
  }
}

/** Whether a text ends within a continuation that holds nothing: Java finds an empty key there, for some line ends; ours does not. */
function endsOpen(text: string): boolean {
  return /(?:^|[\r\n])[ \t\f]*\\[\r\n]?$/.test(text);
}

function utf16(text: string): Buffer {
  return Buffer.from(text, 'utf16le').swap16();
}

function fromUtf16(bytes: Buffer): string {
  return bytes.swap16().toString('utf16le');
}

/** As Java's Properties keep them: the last of a key, sorted by UTF-16 units. */
function ours(text: string): Entries | 'error' {
  const { entries, problems } = parseProperties(text);
  if (problems.length > 0) return 'error';
  const last = new Map(entries.map(({ key, value }) => [key, value]));
  return [...last].sort(([a], [b]) => (a < b ? -1 : 1));
}

describe('the .properties grammar against java.util.Properties', () => {
  const apache = useApache('5.3.3');
  let java: JavaProperties;

  before(async () => {
    java = new JavaProperties(apache);
    await java.loadText('');
  });

  const grammar = fc
    .string({
      unit: fc.constantFrom(
        ...'\\\\\\\n\n\r \t\f=:#!u0041ab"é中\u{2028}\u{85}\0'.split(''),
        '\\u0041',
        '\\\r\n',
        '\r\n',
        '\uD800',
      ),
      maxLength: 60,
    })
    .filter((text) => !endsOpen(text));

  it('reads any text as Java does', async () => {
    await fc.assert(
      fc.asyncProperty(grammar, async (text) => {
        expect(ours(text)).to.deep.equal(await java.loadText(text));
      }),
      { numRuns: 20_000 },
    );
  });

  it('reads bytes as Java does where they are ASCII, or no UTF-8', async () => {
    const bytes = fc.uint8Array({ maxLength: 40 }).filter((each) => decodesAsLatin1(each));
    await fc.assert(
      fc.asyncProperty(bytes, async (each) => {
        expect(ours(decodePropertiesBytes(each))).to.deep.equal(await java.loadBytes(each));
      }),
      { numRuns: 3_000 },
    );
  });

  it('edits texts so that Java reads the new values and all others as before', async () => {
    const changes = fc.dictionary(fc.oneof(fc.constantFrom('a', 'b'), grammar), grammar, { maxKeys: 3 });
    await fc.assert(
      fc.asyncProperty(grammar, changes, async (text, values) => {
        const before = await java.loadText(text);
        fc.pre(before !== 'error');
        const expected = [...new Map([...before, ...Object.entries(values)])].sort(([a], [b]) => (a < b ? -1 : 1));
        const edited = editProperties(text, new Map(Object.entries(values)));
        expect(await java.loadText(edited)).to.deep.equal(expected);
      }),
      { numRuns: 3_000 },
    );
  });
});

function decodesAsLatin1(bytes: Uint8Array): boolean {
  const latin1 = Buffer.from(bytes).toString('latin1');
  return decodePropertiesBytes(bytes) === latin1 && !endsOpen(latin1);
}
