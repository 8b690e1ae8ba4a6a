import { expect } from 'chai';
import { prettyLine } from '../src/pretty-line.js';

describe('prettyLine', () => {
  const line = (fields: object) =>
    prettyLine(JSON.stringify({ level: 'warn', time: '2026-01-02T03:04:05.678Z', ...fields }));

  it('puts time, level and message first, then the fields', () => {
    expect(line({ event: 'broker.expired', brokerId: 0, cause: 'a b', msg: 'gone' })).to.equal(
      '03:04:05.678Z WARN  gone event=broker.expired brokerId=0 cause="a b"\n',
    );
  });

  it('shows control characters of peers instead of obeying them', () => {
    expect(line({ topic: '\u001b[2J\n\u009b', msg: 'x\u001b[31m\ny' })).to.equal(
      '03:04:05.678Z WARN  x\\x1b[31m\\x0ay topic="\\u001b[2J\\n\\x9b"\n',
    );
  });
});
