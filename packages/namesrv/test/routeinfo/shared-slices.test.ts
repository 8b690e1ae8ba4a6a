import { changedTopics, encodeRegisterBrokerBody, TopicSlices } from '@rmqns/protocol';
import { expect } from 'chai';
import { SharedSlices } from '../../src/routeinfo/shared-slices.js';
import { topicConfig, version } from './registration.js';

function slicesOf(...names: readonly string[]): TopicSlices {
  const topicConfigSerializeWrapper = {
    dataVersion: version(1),
    topicConfigTable: new Map(names.map((name) => [name, topicConfig(name)])),
    topicQueueMappingInfoMap: new Map(),
  };
  const body = { topicConfigSerializeWrapper, filterServerList: [] };
  const bytes = Buffer.from(encodeRegisterBrokerBody(body, { compressed: false, fiveX: true }));
  return changedTopics(TopicSlices.NONE, { bytes })?.slices ?? expect.fail();
}

describe('SharedSlices', () => {
  it('keeps what brokers with the same topics have in common once', () => {
    const shared = new SharedSlices();
    const first = shared.share(slicesOf('A', 'B'));
    const other = shared.share(slicesOf('A', 'C'));
    expect(other).to.not.equal(first);
    expect(shared.share(slicesOf('A', 'B'))).to.equal(first);
    expect(shared.share(slicesOf('A', 'C'))).to.equal(other);
    expect(shared.share(slicesOf('A'))).to.not.be.oneOf([first, other]);
  });

  it('remembers the last few only', () => {
    const shared = new SharedSlices();
    const first = shared.share(slicesOf('A'));
    for (let index = 0; index < 8; index++) shared.share(slicesOf(`B${index}`));
    expect(shared.share(slicesOf('A'))).to.not.equal(first);
  });
});
