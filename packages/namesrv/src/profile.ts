/**
 * Which release's answers to give where releases differ (design decision 1). The default is the newest; an older one is chosen by
 * operators whose tools depend on an old answer, and by the conformance tests.
 */
export type ProfileName = '4.7.1' | '4.9.7' | '5.3.3';

const RELEASES: readonly ProfileName[] = ['4.7.1', '4.9.7', '5.3.3'];

/** Releases compare by this. */
export function releaseOrder(release: ProfileName): number {
  return RELEASES.indexOf(release);
}

/** The answers that differ, each a fact of the reference. */
export interface Profile {
  readonly name: ProfileName;
  /** MQVersion ordinal that answers carry. */
  readonly version: number;
  /** 4.7.1 never answers a route in standard JSON; later ones do for clients from 4.9.4 on (nameserver 2.7). */
  readonly standardRouteJson: boolean;
  /** The name of a queue's system flag in route JSON: `topicSynFlag` up to 4.8 (nameserver 2.7). */
  readonly queueFlagName: 'topicSynFlag' | 'topicSysFlag';
  /** Whether brokers in JSON carry `enableActingMaster` and `zoneName`, and data versions `stateVersion` (5.x). */
  readonly fiveX: boolean;
  /** The page that the remark of code 17 points to. */
  readonly faqUrl: string;
  /** What 319 shows for the socket buffers where none are set; 0: the operating system's (nameserver 5.4). */
  readonly socketBufferBytes: number;
  /** How 318 refuses a key that may not be changed; 4.7.1 never does (nameserver 2.12). */
  readonly configRefusedRemark: string;
  /** Whether a connection may begin with a PROXY protocol header (5.x; remoting 5.2). */
  readonly understandsProxyProtocol: boolean;
  /** Header format of answers: the server's own (option serializeType), or the request's (4.9.7; nameserver 1.3). */
  readonly answersInRequestFormat: boolean;
  /** Whether a first registration of exactly one topic is refused (5.x; nameserver 3.4). */
  readonly refusesSingleTopicFirst: boolean;
  /** 4.7.1 keeps a topic's queues in a list, in which a changed entry moves to the end; later ones in a map (nameserver 3.5). */
  readonly changedQueueMovesToEnd: boolean;
  /** Whether 216 takes a cluster to forget a topic in; 4.7.1 forgets it everywhere (nameserver 2.11). */
  readonly deletesTopicByCluster: boolean;
  /** The first size of Java's brokerAddrTable, by which code 304 finds its broker (nameserver 2.10, 8.6). */
  readonly brokerTableCapacity: number;
  /** Expiry scan: first run and period, in milliseconds (nameserver 3.2; ours delays the first 5.x run from 5 ms to a period). */
  readonly scanInitialDelayMillis: number;
  readonly scanPeriodMillis: number;
}

const fourX = {
  fiveX: false,
  faqUrl: 'http://rocketmq.apache.org/docs/faq/',
  refusesSingleTopicFirst: false,
  understandsProxyProtocol: false,
  brokerTableCapacity: 128,
  scanInitialDelayMillis: 5_000,
  scanPeriodMillis: 10_000,
} as const;

export const profiles: Readonly<Record<ProfileName, Profile>> = {
  '4.7.1': {
    ...fourX,
    name: '4.7.1',
    version: 355,
    standardRouteJson: false,
    queueFlagName: 'topicSynFlag',
    configRefusedRemark: 'Can not update config in black list.',
    socketBufferBytes: 65_535,
    answersInRequestFormat: false,
    changedQueueMovesToEnd: true,
    deletesTopicByCluster: false,
  },
  '4.9.7': {
    ...fourX,
    name: '4.9.7',
    version: 407,
    standardRouteJson: true,
    queueFlagName: 'topicSysFlag',
    configRefusedRemark: 'Can not update config path',
    socketBufferBytes: 0,
    answersInRequestFormat: true,
    changedQueueMovesToEnd: false,
    deletesTopicByCluster: true,
  },
  '5.3.3': {
    name: '5.3.3',
    version: 479,
    standardRouteJson: true,
    queueFlagName: 'topicSysFlag',
    fiveX: true,
    configRefusedRemark: 'Can not update config in black list.',
    socketBufferBytes: 0,
    faqUrl: 'https://rocketmq.apache.org/docs/bestPractice/06FAQ',
    answersInRequestFormat: false,
    refusesSingleTopicFirst: true,
    understandsProxyProtocol: true,
    changedQueueMovesToEnd: false,
    deletesTopicByCluster: true,
    brokerTableCapacity: 256,
    scanInitialDelayMillis: 5_000,
    scanPeriodMillis: 5_000,
  },
};
