import { expect } from 'chai';
import type { AgentConfig } from '../src/agent-config.js';
import { onceReport } from '../src/once-report.js';

describe('the report of --once', () => {
  const config = {
    identity: {
      clusterName: 'C',
      brokerName: 'b',
      brokerId: 0,
      brokerAddr: 'h:1',
      haServerAddr: 'h:2',
      brokerPermission: 6,
    },
  } as AgentConfig;
  const report = (timestamp: number | bigint): string => {
    const dataVersion = { counter: 7, timestamp, stateVersion: 0 };
    const wrapper = { dataVersion, topicConfigTable: new Map(), topicQueueMappingInfoMap: new Map() };
    return onceReport(config, wrapper, { needed: true, outcomes: [], completed: [], durationMillis: 1 });
  };

  it('shows the time of the data version, or its number where it is no time', () => {
    expect(report(1_700_000_000_000)).to.include('0 topics, data version 7 of 2023-11-14T22:13:20.000Z\n');
    expect(report(8_640_000_000_000_001)).to.include('data version 7 of 8640000000000001\n');
    expect(report(9223372036854775807n)).to.include('data version 7 of 9223372036854775807\n');
  });
});
