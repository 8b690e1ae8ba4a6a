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

/** The blocks of slices. */
function blocksOf(slices: TopicSlices): Int32Array[] {
  const blocks: Int32Array[] = [];
  slices.withBlocks((block) => {
    blocks.push(block);
    return block;
  });
  return blocks;
}

const names = Array.from({ length: 3_000 }, (_, index) => `topic-${index}`);
/** The topics of all brokers and one of its own somewhere among them. */
const withOwn = (broker: number): TopicSlices =>
  slicesOf(...names.slice(0, 100 * broker), `broker-${broker}`, ...names.slice(100 * broker));

describe('SharedSlices', () => {
  it('keeps once what brokers have in common, also behind the topic of their own', () => {
    const shared = new SharedSlices();
    const first = new Set(blocksOf(shared.share(withOwn(1))));
    expect(first.size).to.be.within(4, 40);
    for (let broker = 2; broker <= 20; broker++) {
      const slices = withOwn(broker);
      const own = blocksOf(shared.share(slices)).filter((block) => !first.has(block));
      expect(own.length).to.be.within(1, 4);
      expect(Buffer.concat(blocksOf(shared.share(slices)).map((block) => Buffer.from(block.buffer)))).to.deep.equal(
        Buffer.concat(blocksOf(slices).map((block) => Buffer.from(block.buffer))),
      );
    }
  });

  it('remembers so many blocks only', () => {
    const shared = new SharedSlices();
    const [first] = blocksOf(shared.share(slicesOf('A')));
    expect(blocksOf(shared.share(slicesOf('A')))).to.deep.equal([first]);
    expect(blocksOf(shared.share(slicesOf('A')))[0]).to.equal(first);
    for (let index = 0; index < 1024; index++) shared.share(slicesOf(`B${index}`));
    expect(blocksOf(shared.share(slicesOf('A')))[0]).to.not.equal(first);
  });
});
