import { expect } from 'chai';
import fc from 'fast-check';
import { editProperties } from '../src/edit-properties.js';
import { parseProperties } from '../src/properties.js';

const edit = (text: string, values: Record<string, string>): string =>
  editProperties(text, new Map(Object.entries(values)));
const read = (text: string): Record<string, string> =>
  Object.fromEntries(parseProperties(text).entries.map(({ key, value }) => [key, value]));

describe('editProperties', () => {
  it('changes the line of a key, and leaves comments, order and other lines as they are', () => {
    const text = '# ports\r\nlistenPort = 9876\r\n\r\n! order\r\norderMessageEnable:false\r\nrest=1';
    expect(edit(text, { orderMessageEnable: 'true' })).to.equal(
      '# ports\r\nlistenPort = 9876\r\n\r\n! order\r\norderMessageEnable=true\r\nrest=1',
    );
  });

  it('adds what is not there at the end', () => {
    expect(edit('', { a: '1', b: '2' })).to.equal('a=1\nb=2\n');
    expect(edit('x=1', { a: '1' })).to.equal('x=1\na=1\n');
    expect(edit('x=1\r\n', { a: '1' })).to.equal('x=1\r\na=1\r\n');
  });

  it('changes the last of several lines of a key, which is the one that counts', () => {
    expect(edit('a=1\na=2\nb=3\n', { a: '9' })).to.equal('a=1\na=9\nb=3\n');
  });

  it('makes one line of an entry that went on over several', () => {
    expect(edit('a=1,\\\n  2,\\\n  3\nb=4\n', { a: '5' })).to.equal('a=5\nb=4\n');
    expect(edit('b=4\na=1,\\\n  2', { a: '5' })).to.equal('b=4\na=5');
  });

  it('ends an entry that the file left open before it adds another', () => {
    expect(edit('a=1\\', { b: '2' })).to.equal('a=1\\\n\nb=2\n');
  });

  it('ends such an entry also where lines end in several ways', () => {
    expect(edit('\na=\\\r', { b: '2' })).to.equal('\na=\\\r\rb=2\r');
  });

  it('escapes what would be read as something else', () => {
    expect(edit('', { 'a b': ' x\\y\nz', p: 'C:\\ü' })).to.equal('a\\ b=\\ x\\\\y\\nz\np=C:\\\\\\u00FC\n');
  });

  it('gives back what was put in, whatever was there', () => {
    const line = fc.oneof(
      fc.constantFrom('# c', '', '  ', 'a=1', 'b : 2', 'c 3', 'd=1\\', '\\', 'e', '=', 'a=\\u0041'),
      fc.string({ maxLength: 12 }).filter((text) => !text.includes('\\u')),
    );
    const text = fc
      .tuple(fc.array(line, { maxLength: 8 }), fc.constantFrom('\n', '\r\n', '\r'))
      .map(([lines, newline]) => lines.join(newline));
    const values = fc.dictionary(
      fc.oneof(fc.constantFrom('a', 'b', 'c', 'd'), fc.string({ minLength: 1 })),
      fc.string(),
    );
    fc.assert(
      fc.property(text, values, (before, changes) => {
        const after = editProperties(before, new Map(Object.entries(changes)));
        expect(read(after)).to.deep.equal({ ...read(before), ...changes });
      }),
      { numRuns: 500 },
    );
  });
});
