import { expect } from 'chai';
import { decodeTopicsJson } from '../src/topics-json.js';
import { topicsJsonText } from './topics-json-text.js';

const decode = (text: string) => decodeTopicsJson(Buffer.from(text));

describe('topics.json', () => {
  it('is read as a broker writes it', () => {
    const { table, dataVersion } = decode(topicsJsonText(['A', 'B'], 7, 5));
    expect(dataVersion).to.deep.equal({ counter: 7, stateVersion: 0, timestamp: 5 });
    expect([...table.keys()]).to.deep.equal(['A', 'B']);
    expect(table.get('A')).to.deep.equal({
      topicName: 'A',
      readQueueNums: 4,
      writeQueueNums: 4,
      perm: 6,
      topicFilterType: 'SINGLE_TAG',
      topicSysFlag: 0,
      order: false,
      attributes: new Map(),
    });
  });

  it("is read in fastjson's dialect, and with what 4.x writes", () => {
    const { table, dataVersion } = decode(
      "{dataVersion:{counter:1,timestamp:2},/* x */topicConfigTable:{'%RETRY%g':{order:true,perm:4,readQueueNums:1,topicFilterType:'SINGLE_TAG',topicName:'%RETRY%g',topicSysFlag:1,writeQueueNums:2,},},}",
    );
    expect(dataVersion).to.deep.equal({ counter: 1, stateVersion: 0, timestamp: 2 });
    expect(table.get('%RETRY%g')).to.include({ order: true, perm: 4, topicSysFlag: 1, writeQueueNums: 2 });
  });

  it('is refused at every length short of the whole', () => {
    const text = topicsJsonText(['A', 'B'], 7);
    for (let length = 0; length < text.length; length++)
      expect(() => decode(text.slice(0, length)), text.slice(0, length)).to.throw();
  });

  for (const [what, text, message] of [
    ['without a table', '{"dataVersion":{"counter":1,"timestamp":1}}', 'it holds no topicConfigTable'],
    ['without a version', '{"topicConfigTable":{}}', 'it holds no dataVersion'],
    ['that is null', 'null', 'it holds no topicConfigTable'],
    ['with a null table', '{"topicConfigTable":null,"dataVersion":{}}', 'it holds no topicConfigTable'],
    [
      'with a topic of another name',
      '{"topicConfigTable":{"A":{"topicName":"B"}},"dataVersion":{}}',
      'topic A is named B',
    ],
  ] as const)
    it(`is refused ${what}`, () => {
      expect(() => decode(text)).to.throw(message);
    });

  it('is refused when it is not UTF-8', () => {
    const bytes = Buffer.from(topicsJsonText(['A'], 1).replace('"A"', '"\u00e4"'), 'latin1');
    expect(() => decodeTopicsJson(bytes)).to.throw('it is not UTF-8 text');
  });
});
