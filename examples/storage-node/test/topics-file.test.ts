import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { RemotingError } from '@rmqns/remoting';
import { TemporaryDirectory } from '@rmqns/test-kit';
import { expect } from 'chai';
import { topicTable, writeTopicsFile } from '../src/topics-file.js';

describe('topics.json', () => {
  let directory: TemporaryDirectory;

  beforeEach(async () => {
    directory = await TemporaryDirectory.create();
  });

  afterEach(async () => {
    await directory[Symbol.asyncDispose]();
  });

  async function file(): Promise<{ dataVersion: object; topicConfigTable: Record<string, object> }> {
    return JSON.parse(await readFile(join(directory.path, 'config/topics.json'), 'utf8'));
  }

  it("is a broker's: a data version and the topics, each with a second one that every broker has", async () => {
    await writeTopicsFile(directory.path, topicTable(['Orders'], 4), 1000);
    const { dataVersion, topicConfigTable } = await file();
    expect(dataVersion).to.deep.equal({ counter: 1, timestamp: 1000 });
    expect(Object.keys(topicConfigTable)).to.have.members(['Orders', 'SELF_TEST_TOPIC']);
    expect(topicConfigTable['Orders']).to.deep.equal({
      topicName: 'Orders',
      readQueueNums: 4,
      writeQueueNums: 4,
      perm: 6,
      topicFilterType: 'SINGLE_TAG',
      topicSysFlag: 0,
      order: false,
    });
    expect(await readdir(join(directory.path, 'config'))).to.deep.equal(['topics.json']);
  });

  it('takes the place of an older one, whatever that held', async () => {
    await writeTopicsFile(directory.path, topicTable(['Orders'], 4), 1000);
    await writeTopicsFile(directory.path, topicTable(['Payments'], 2), 2000);
    expect(Object.keys((await file()).topicConfigTable)).to.have.members(['Payments', 'SELF_TEST_TOPIC']);
  });
});

describe('the topics of a node', () => {
  it('need names that topics can have, and queues', () => {
    for (const name of ['', 'Or ders', 'x'.repeat(128)]) {
      expect(() => topicTable([name], 4), name).to.throw(RemotingError, 'is no topic name');
    }
    for (const queueNums of [0, 1.5, Number.NaN, 1025]) {
      expect(() => topicTable(['Orders'], queueNums), String(queueNums)).to.throw(RemotingError, '1 to 1024 queues');
    }
  });

  it('cannot be the one by which brokers create others', () => {
    expect(() => topicTable(['Orders', 'TBW102'], 4)).to.throw(RemotingError, 'TBW102 is the topic by which brokers');
  });
});
