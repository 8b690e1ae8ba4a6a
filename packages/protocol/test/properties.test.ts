import { expect } from 'chai';
import fc from 'fast-check';
import { decodePropertiesBytes, parseProperties } from '../src/properties.js';

/** Entries as `[key, value, line]`, of a text without problems. */
function entries(text: string): [string, string, number][] {
  const { entries: found, problems } = parseProperties(text);
  expect(problems).to.deep.equal([]);
  return found.map((entry) => [entry.key, entry.value, entry.line]);
}

// Each expectation was checked against java.util.Properties of JDK 17.
const table: readonly [title: string, text: string, expected: [string, string, number][]][] = [
  ['nothing', '', []],
  ['an equals sign', 'a=b', [['a', 'b', 1]]],
  ['a colon', 'a:b', [['a', 'b', 1]]],
  ['a blank', 'a b', [['a', 'b', 1]]],
  ['a tab and a form feed', 'a\t\fb', [['a', 'b', 1]]],
  ['blanks around the separator', '  a \t = \f b', [['a', 'b', 1]]],
  [
    'a second separator as part of the value',
    'a==b\nc = : d',
    [
      ['a', '=b', 1],
      ['c', ': d', 2],
    ],
  ],
  ['a key alone', 'a', [['a', '', 1]]],
  [
    'a separator alone',
    '=b\n:',
    [
      ['', 'b', 1],
      ['', '', 2],
    ],
  ],
  ['trailing blanks, kept', 'a=b \t', [['a', 'b \t', 1]]],
  ['comments, with blanks before them', '# a=b\n  ! c=d\n\t#\ne=f', [['e', 'f', 4]]],
  ['a hash and a bang inside a value', 'a=b#c!d', [['a', 'b#c!d', 1]]],
  ['a comment that ends in a backslash, not continued', '# a \\\nb=c', [['b', 'c', 2]]],
  ['empty and blank lines', '\n \t\n\na=b\n\n', [['a', 'b', 4]]],
  [
    'CR, LF and CRLF',
    'a=1\rb=2\nc=3\r\nd=4',
    [
      ['a', '1', 1],
      ['b', '2', 2],
      ['c', '3', 3],
      ['d', '4', 4],
    ],
  ],
  ['a continuation, its blanks dropped', 'a=b\\\n   \tc', [['a', 'bc', 1]]],
  [
    'a continuation over CRLF',
    'a=b\\\r\nc\r\nd=e',
    [
      ['a', 'bc', 1],
      ['d', 'e', 3],
    ],
  ],
  [
    'a continuation over three lines',
    'x=1\na=b,\\\nc,\\\n d\ne=f',
    [
      ['x', '1', 1],
      ['a', 'b,c,d', 2],
      ['e', 'f', 5],
    ],
  ],
  ['a continued key', 'ab\\\n  cd = e', [['abcd', 'e', 1]]],
  [
    'an even number of backslashes at the end, not continued',
    'a=b\\\\\nc=d',
    [
      ['a', 'b\\', 1],
      ['c', 'd', 2],
    ],
  ],
  ['three backslashes at the end, continued', 'a=b\\\\\\\nc', [['a', 'b\\c', 1]]],
  [
    'a continuation into an empty line',
    'a=b\\\n\nc=d',
    [
      ['a', 'b', 1],
      ['c', 'd', 3],
    ],
  ],
  ['a continuation into what looks like a comment', 'a=b\\\n#c', [['a', 'b#c', 1]]],
  ['a continuation at the end of the file', 'a=b\\', [['a', 'b', 1]]],
  ['a lone backslash at the end of the file', 'a=b\n\\', [['a', 'b', 1]]],
  ['a lone backslash before a comment', '\\\n#c\nd=e', [['d', 'e', 3]]],
  ['escaped separators in a key', 'a\\=b\\:c\\ d=e', [['a=b:c d', 'e', 1]]],
  ['an escaped comment sign', '\\#a=b', [['#a', 'b', 1]]],
  ['control escapes', 'a=\\t\\n\\r\\f', [['a', '\t\n\r\f', 1]]],
  ['an unknown escape as the character itself', 'a=\\b\\z\\"\\0', [['a', 'bz"0', 1]]],
  ['unicode escapes in key and value', '\\u0061=\\u4e2D\\uD83D\\uDE00', [['a', '中\u{1F600}', 1]]],
  ['an escaped backslash before a u', 'a=\\\\u00', [['a', '\\u00', 1]]],
  ['a Windows path, losing its backslashes as in Java', 'a=C:\\data\\x', [['a', 'C:datax', 1]]],
  ['leading blanks of a value by escape', 'a=\\  b', [['a', '  b', 1]]],
  [
    'repeated keys, all kept in order',
    'a=1\nb=2\na=3',
    [
      ['a', '1', 1],
      ['b', '2', 2],
      ['a', '3', 3],
    ],
  ],
  [
    'names of Object.prototype',
    '__proto__=1\nconstructor=2',
    [
      ['__proto__', '1', 1],
      ['constructor', '2', 2],
    ],
  ],
];

describe('parseProperties', () => {
  for (const [title, text, expected] of table) {
    it(`reads ${title}`, () => {
      expect(entries(text)).to.deep.equal(expected);
    });
  }

  it('tells where key and value begin, also of a value in a line of its own or none', () => {
    const places = (text: string) => {
      const [entry] = parseProperties(text).entries;
      return [entry?.line, entry?.column, entry?.valueLine, entry?.valueColumn];
    };
    expect(places('\n  key = value')).to.deep.equal([2, 3, 2, 9]);
    expect(places('key=\\\n   value')).to.deep.equal([1, 1, 2, 4]);
    expect(places('ke\\\n  y : value')).to.deep.equal([1, 1, 2, 7]);
    expect(places('key=')).to.deep.equal([1, 1, 1, 5]);
    expect(places('\\\n# no entry\n key')).to.deep.equal([3, 2, 3, 5]);
  });

  it('reports every malformed \\u with its own line and keeps the other entries', () => {
    const parsed = parseProperties('a=\\u12\nb=1\nc=x\\\n  y\\u00zz\n\\u=2\nd=\\u123');
    expect(parsed.entries.map(({ key, value, line }) => [key, value, line])).to.deep.equal([['b', '1', 2]]);
    expect(parsed.problems.map(({ line, column }) => [line, column])).to.deep.equal([
      [1, 3],
      [4, 4],
      [5, 1],
      [6, 3],
    ]);
    expect(parsed.problems[0]?.problem).to.equal(
      'malformed escape \\u12: four hexadecimal digits must follow \\u (write \\\\u for a backslash and a u)',
    );
  });

  it('does not take digits of the value for those of an escape in the key', () => {
    expect(parseProperties('a\\u12=34').problems).to.have.length(1);
  });

  it('gives back any keys and values that were escaped', () => {
    const escapeText = (text: string) =>
      [...text]
        .map((char) =>
          /[A-Za-z0-9]/.test(char)
            ? char
            : [...Array(char.length).keys()]
                .map((unit) => `\\u${char.charCodeAt(unit).toString(16).padStart(4, '0')}`)
                .join(''),
        )
        .join('');
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), fc.string({ unit: 'binary' }), (key, value) => {
        expect(entries(`${escapeText(key)}=${escapeText(value)}\n`)).to.deep.equal([[key, value, 1]]);
      }),
    );
  });

  it('never throws, and lines only grow', () => {
    const unit = fc.constantFrom('\\', '\n', '\r', ' ', '=', ':', '#', 'u', '0', 'a');
    fc.assert(
      fc.property(fc.string({ unit }), (text) => {
        const lines = parseProperties(text).entries.map((entry) => entry.line);
        expect(lines).to.deep.equal([...lines].sort((a, b) => a - b));
      }),
    );
  });
});

describe('decodePropertiesBytes', () => {
  it('reads UTF-8', () => {
    expect(decodePropertiesBytes(Buffer.from('a=中é'))).to.equal('a=中é');
  });

  it('drops a UTF-8 byte order mark', () => {
    expect(decodePropertiesBytes(Buffer.from('\uFEFFa=b'))).to.equal('a=b');
  });

  it('reads what is no UTF-8 as ISO-8859-1', () => {
    expect(decodePropertiesBytes(Buffer.from([0x61, 0x3d, 0xe9, 0x80]))).to.equal('a=é\u0080');
  });
});
