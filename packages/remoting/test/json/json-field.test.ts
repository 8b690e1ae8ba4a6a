import { expect } from 'chai';
import { jsonField } from '../../src/json/json-field.js';

describe('jsonField', () => {
  const rows: [string, Record<string, number | null>, string, number | null | undefined][] = [
    ['the exact name', { topicName: 1, TopicName: 2 }, 'topicName', 1],
    ['the exact name, when it comes last', { topic_name: 2, topicName: 1 }, 'topicName', 1],
    ['a name in another case', { TOPICNAME: 1 }, 'topicName', 1],
    ['a name with underscores', { topic_name: 1 }, 'topicName', 1],
    ['a name with dashes', { 'Topic-Name-': 1 }, 'topicName', 1],
    ['the last of several names', { topic_name: 1, 'topic-name': 2 }, 'topicName', 2],
    ['an explicit null', { topicName: null }, 'topicName', null],
    ['nothing for a longer name', { topicNames: 1 }, 'topicName', undefined],
    ['nothing for a shorter name', { topicNam: 1 }, 'topicName', undefined],
    ['nothing for what every object inherits', {}, 'constructor', undefined],
  ];
  for (const [what, object, name, expected] of rows) {
    it(`finds ${what}`, () => {
      expect(jsonField(object, name)).to.equal(expected);
    });
  }
});
