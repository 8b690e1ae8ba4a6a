import type { ApacheBroker, ApacheProcesses, ApacheVersion } from '@rmqns/test-kit';
import { expect } from 'chai';

/** The four admin commands that an operator tries first, each checked by what it prints, for brokers of cluster DefaultCluster. */
export async function useAdminTool(
  apache: ApacheProcesses,
  version: ApacheVersion,
  namesrvAddr: string,
  brokers: readonly ApacheBroker[],
  topic: string,
): Promise<void> {
  const updated = await apache.mqadmin(version, namesrvAddr, 'updateTopic', '-c', 'DefaultCluster', '-t', topic);
  for (const { brokerAddr } of brokers) expect(updated).to.contain(`create topic to ${brokerAddr} success.`);

  const clusters = await apache.mqadmin(version, namesrvAddr, 'clusterList');
  for (const { brokerName, brokerAddr, version: brokerVersion } of brokers) {
    const row = clusters.split('\n').find((line) => line.includes(brokerAddr)) ?? '';
    expect(row.split(/\s+/), clusters).to.include.members([
      'DefaultCluster',
      brokerName,
      '0',
      brokerAddr,
      `V${brokerVersion.replaceAll('.', '_')}`,
    ]);
  }

  const topics = await apache.mqadmin(version, namesrvAddr, 'topicList');
  expect(topics.split(/\s+/)).to.include.members([topic, 'TBW102', ...brokers.map(({ brokerName }) => brokerName)]);

  const route = await apache.mqadmin(version, namesrvAddr, 'topicRoute', '-t', topic);
  expect(route).to.contain('"queueDatas"');
  for (const { brokerName, brokerAddr } of brokers) {
    expect(route).to.contain(`"brokerName":"${brokerName}"`);
    expect(route).to.contain(brokerAddr);
  }
}
