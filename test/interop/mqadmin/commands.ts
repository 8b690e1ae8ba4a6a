import { type ApacheVersion, apacheVersions } from '@rmqns/test-kit';

/** One mqadmin command as it is given to a name server; `-n` is added. */
export interface AdminCommand {
  /** `BROKER` stands for the address of broker-a, `MESSAGE` for the id of a message that was sent, `KEY` for one that clients gave it. */
  readonly args: readonly string[];
  readonly versions: readonly ApacheVersion[];
  /** Whether figures are no part of what is compared: they are of the moment. */
  readonly figures?: 'masked';
  /**
   * Lines come in an order that is of the moment: of brokers by address, which are others on either side; or of a long list of names or
   * settings, which ours has in another order (rule map-order).
   */
  readonly order?: 'any';
}

const all = apacheVersions;
const since49: readonly ApacheVersion[] = ['4.9.7', '5.3.3'];
const only4x: readonly ApacheVersion[] = ['4.7.1', '4.9.7'];
const only53: readonly ApacheVersion[] = ['5.3.3'];

const command = (
  text: string,
  versions: readonly ApacheVersion[] = all,
  rest: Omit<AdminCommand, 'args' | 'versions'> = {},
): AdminCommand => ({ args: text.split(' '), versions, ...rest });
const masked = { figures: 'masked' } as const;
const anyOrder = { order: 'any' } as const;
const loose = { ...masked, ...anyOrder } as const;

/** A route of two groups; 4.7.1 lists their queues in the order in which they came, which is that of two addresses. */
const route = (text: string, versions = all): readonly AdminCommand[] => [
  command(
    text,
    versions.filter((version) => version !== '4.7.1'),
  ),
  command(
    text,
    versions.filter((version) => version === '4.7.1'),
    anyOrder,
  ),
];

/**
 * What is asked, in this order, of two brokers `broker-a` and `broker-b` of cluster `DefaultCluster`, which both name servers know. What
 * commands change at a broker holds for both, what they change at a name server for the one that was told.
 */
export const adminCommands: readonly AdminCommand[] = [
  command('clusterList', all, masked),
  command('clusterList -m', all, masked),
  command('clusterList -c NoSuchCluster', only53),
  command('topicList', all, anyOrder),
  command('updateTopic -c DefaultCluster -t TopicTest -r 4 -w 4', all, anyOrder),
  command('updateTopic -c NoSuchCluster -t TopicTest'),
  command('updateTopic -b BROKER -t UnitTopic -u true'),
  command('updateTopic -b BROKER -t UnitSubTopic -s true'),
  command('updateTopic -c DefaultCluster -t OrderTopic -o true', all, anyOrder),
  command('updateTopic -c DefaultCluster -t DelayTopic -a +message.type=DELAY', only53, anyOrder),
  command('topicList', all, anyOrder),
  command('topicList -c', all, anyOrder),
  ...route('topicRoute -t TopicTest'),
  ...route('topicRoute -l -t TopicTest', only53),
  command('topicRoute -t NoSuchTopic'),
  command('topicStatus -t TopicTest'),
  command('topicStatus -t NoSuchTopic'),
  command('topicClusterList -t TopicTest'),
  command('topicClusterList -t NoSuchTopic'),
  command('updateTopicPerm -b BROKER -t TopicTest -p 4'),
  ...route('topicRoute -t TopicTest'),
  command('updateTopicPerm -c DefaultCluster -t TopicTest -p 6', all, anyOrder),
  command('updateTopicPerm -c DefaultCluster -t NoSuchTopic -p 6', all, anyOrder),
  ...route('topicRoute -t TopicTest'),
  command('allocateMQ -t TopicTest -i 127.0.0.1@1,127.0.0.1@2'),
  command('allocateMQ -t NoSuchTopic -i 127.0.0.1@1'),

  command('updateKvConfig -s NAMESPACE -k key -v value'),
  command('updateKvConfig -s NAMESPACE -k schlüssel -v 值'),
  command('deleteKvConfig -s NAMESPACE -k key'),
  command('deleteKvConfig -s NAMESPACE -k no-such-key'),
  command('updateOrderConf -t OrderTopic -m get'),
  command('updateOrderConf -t OrderTopic -m put -v broker-a:4;broker-b:4'),
  command('updateOrderConf -t OrderTopic -m get'),
  command('getNamesrvConfig', all, anyOrder),
  command('updateNamesrvConfig -k orderMessageEnable -v true'),
  ...route('topicRoute -t OrderTopic'),
  command('updateOrderConf -t OrderTopic -m delete'),
  command('updateOrderConf -t OrderTopic -m get'),
  ...route('topicRoute -t OrderTopic'),
  command('updateNamesrvConfig -k noSuchKey -v 1'),
  command('updateNamesrvConfig -k kvConfigPath -v /nowhere/kv.json', since49),
  command('getNamesrvConfig', all, anyOrder),

  command('wipeWritePerm -b broker-a'),
  command('wipeWritePerm -b no-such-broker'),
  ...route('topicRoute -t TopicTest'),
  ...route('topicRoute -t TBW102'),
  command('addWritePerm -b broker-a', since49),
  command('addWritePerm -b no-such-broker', since49),
  ...route('topicRoute -t TopicTest', since49),

  command('brokerStatus -b BROKER', all, masked),
  command('brokerStatus -c DefaultCluster', all, loose),
  command('brokerStatus -c NoSuchCluster'),
  command('getBrokerConfig -b BROKER'),
  command('getBrokerConfig -c DefaultCluster', all, anyOrder),
  command('updateBrokerConfig -c DefaultCluster -k flushDiskType -v ASYNC_FLUSH', all, anyOrder),
  command('brokerConsumeStats -b BROKER', all, masked),
  command('updateSubGroup -c DefaultCluster -g some-group', all, anyOrder),
  command('updateSubGroup -c NoSuchCluster -g some-group'),
  command('getConsumerConfig -g some-group', since49),
  command('setConsumeMode -c DefaultCluster -t TopicTest -g some-group -m POP', only53, anyOrder),
  command('sendMessage -t TopicTest -p hello -b broker-b -i 0'),
  command('sendMessage -t NoSuchTopic -p hello -b broker-b -i 0'),
  command('sendMsgStatus -b broker-b -s 16 -c 2', all, masked),
  command('checkMsgSendRT -t TopicTest -a 3 -s 16', all, masked),
  command('consumeMessage -t TopicTest -b broker-b -i 0 -o 0', all, masked),
  command('printMsg -t TopicTest', all, masked),
  command('printMsgByQueue -t TopicTest -a broker-b -i 0', all, masked),
  command('queryMsgById -i MESSAGE', only4x, masked),
  command('queryMsgById -i MESSAGE -t TopicTest', only53, masked),
  command('queryMsgByUniqueKey -i MESSAGE -t TopicTest', all, masked),
  command('queryMsgByKey -t TopicTest -k KEY', all, masked),
  command('queryMsgByOffset -t TopicTest -b broker-b -i 0 -o 0', all, masked),
  command('queryMsgTraceById -i MESSAGE', since49, masked),
  command('queryCq -t TopicTest -q 0 -i 0 -b BROKER', all, masked),
  command('statsAll', all, loose),
  command('statsAll -t TopicTest', all, loose),
  command('consumerProgress', all, masked),
  command('consumerProgress -g some-group', all, masked),
  command('consumerStatus -g some-group', all, masked),
  command('consumerConnection -g some-group'),
  command('producerConnection -g some-group -t TopicTest'),
  command('resetOffsetByTime -g some-group -t TopicTest -s now', all, masked),
  command('skipAccumulatedMessage -g some-group -t TopicTest', since49, masked),
  command('cloneGroupOffset -s some-group -d other-group -t TopicTest', all, masked),
  command('cleanExpiredCQ -c DefaultCluster', all, anyOrder),
  command('cleanUnusedTopic -c DefaultCluster', all, anyOrder),
  command('deleteExpiredCommitLog -c DefaultCluster', since49, anyOrder),
  command('exportMetadata -c DefaultCluster -t -f EXPORT', since49, anyOrder),
  command('exportConfigs -c DefaultCluster -f EXPORT', since49, anyOrder),
  command('exportMetrics -c DefaultCluster -f EXPORT', since49, loose),
  command('exportPopRecord -c DefaultCluster -d true', only53, anyOrder),
  command('updateAclConfig -c DefaultCluster -a someUser -s 12345678', only4x, anyOrder),
  command('deleteAccessConfig -c DefaultCluster -a someUser', ['4.7.1'], anyOrder),
  command('deleteAclConfig -c DefaultCluster -a someUser', ['4.9.7'], anyOrder),
  command('updateGlobalWhiteAddr -c DefaultCluster -g 127.0.0.1', only4x, anyOrder),
  command('createUser -c DefaultCluster -u user -p password -t Super', only53, anyOrder),
  command('updateUser -c DefaultCluster -u user -p other', only53, anyOrder),
  command('getUser -c DefaultCluster -u user', only53, anyOrder),
  command('listUser -c DefaultCluster', only53, anyOrder),
  command('deleteUser -c DefaultCluster -u user', only53, anyOrder),
  command('createAcl -c DefaultCluster -s User:user -r Topic:TopicTest -a PUB -d ALLOW', only53, anyOrder),
  command('updateAcl -c DefaultCluster -s User:user -r Topic:TopicTest -a SUB -d ALLOW', only53, anyOrder),
  command('getAcl -c DefaultCluster -s User:user', only53, anyOrder),
  command('listAcl -c DefaultCluster', only53, anyOrder),
  command('deleteAcl -c DefaultCluster -s User:user', only53, anyOrder),
  command('getBrokerEpoch -c DefaultCluster', only53, anyOrder),
  command('haStatus -c DefaultCluster', only53, loose),
  command('getColdDataFlowCtrInfo -c DefaultCluster', only53, loose),
  command('updateColdDataFlowCtrGroupConfig -c DefaultCluster -g some-group -v 1', only53, anyOrder),
  command('removeColdDataFlowCtrGroupConfig -c DefaultCluster -g some-group', only53, anyOrder),
  command('setCommitLogReadAheadMode -c DefaultCluster -m 1', only53, anyOrder),
  command('checkRocksdbCqWriteProgress -c DefaultCluster -t TopicTest', only53, anyOrder),
  command('updateStaticTopic -t StaticTopic -qn 4 -c DefaultCluster', only53, loose),
  command('topicRoute -t StaticTopic', only53, masked),
  command('remappingStaticTopic -t StaticTopic -b broker-a', only53, masked),
  command('deleteSubGroup -c DefaultCluster -g some-group', all, anyOrder),
  command('deleteTopic -c DefaultCluster -t TopicTest', all, anyOrder),
  command('deleteTopic -c DefaultCluster -t NoSuchTopic', all, anyOrder),
  ...route('topicRoute -t TopicTest'),
  command('topicList', all, anyOrder),
];

/** Commands that never ask a name server, or of which it depends on more than that, with why they are left out. */
export const leftOut: Readonly<Record<string, string>> = {
  startMonitoring: 'never ends',
  clusterRT: 'never ends',
  updateTopicList: 'reads a file, then asks as updateTopic does',
  updateSubGroupList: 'reads a file, then asks as updateSubGroup does',
  addBroker: 'asks a broker container',
  removeBroker: 'asks a broker container',
  resetMasterFlushOffset: 'asks a broker',
  getSyncStateSet: 'asks a controller',
  getControllerMetaData: 'asks a controller',
  getControllerConfig: 'asks a controller',
  updateControllerConfig: 'asks a controller',
  electMaster: 'asks a controller',
  cleanBrokerMetadata: 'asks a controller',
  dumpCompactionLog: 'reads a file',
  exportMetadataInRocksDB: 'reads files',
  rocksDBConfigToJson: 'reads files',
  copyUser: 'asks brokers',
  producer: 'asks a broker, for which of its own producers have connected by then',
  clusterAclConfigVersion: 'a broker without ACL never answers it',
  getAccessConfigSubCommand: 'a broker without ACL never answers it',
  getAclConfig: 'a broker without ACL never answers it',
  copyAcl: 'asks brokers',
};
