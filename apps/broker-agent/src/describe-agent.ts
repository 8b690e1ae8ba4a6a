import type { BrokerRegistrar } from '@rmqns/namesrv-client';
import type { Clock } from '@rmqns/remoting';
import type { BrokerIdentity } from './agent-config.js';
import type { AgentParts } from './agent-parts.js';
import type { AgentState, AgentStatus } from './agent-status.js';
import type { NameServerRecords } from './name-server-records.js';
import type { TopicConfigManager } from './topic-config-manager.js';
import type { TopicSource } from './topic-source.js';

/** What an agent is made of, as far as its status shows it. */
export interface DescribedAgent {
  readonly state: AgentState;
  readonly identity: BrokerIdentity;
  readonly stateDirectory: string;
  readonly parts: AgentParts;
  readonly topics: TopicConfigManager;
  readonly registrar: BrokerRegistrar;
  readonly records: NameServerRecords;
  readonly clock: Clock;
}

/** An agent as it stands. */
export function describeAgent(agent: DescribedAgent): AgentStatus {
  const { state, identity, parts, topics, registrar, records, clock } = agent;
  const { health, nameServers, topicSources } = parts;
  const { published } = topics;
  return {
    state,
    waitingFor: state === 'stopped' ? [] : waitingFor(agent),
    identity,
    health: health.health,
    probes: health.probes,
    topics: {
      count: published?.topicConfigTable?.size,
      dataVersion: published?.dataVersion,
      problem: topics.problem,
      stateProblem: topics.stateProblem ?? topics.keepProblem,
      sources: topicSources.map((source) => describeSource(source, clock)),
    },
    nameServers: {
      source: nameServers.name,
      problem: nameServers.problem,
      servers: records.describe(registrar),
    },
    master: registrar.masterAddresses,
    minBroker: registrar.minBroker,
  };
}

/** What a running agent lacks, a phrase each. */
function waitingFor({ state, stateDirectory, parts, topics, registrar }: DescribedAgent): string[] {
  const { health, nameServers, credentials, role } = parts;
  const { published, missingSources, stateProblem, problem } = topics;
  const isNoneKnown = registrar.nameServerAddressList.length === 0;
  const registers = state === 'registering';
  return [
    ...(stateProblem === undefined ? [] : [`the directory ${stateDirectory}: ${stateProblem}`]),
    ...(published === undefined ? missingSources.map((name) => `topics of ${name}`) : []),
    ...(published === undefined && problem !== undefined ? [`other topics: ${problem}`] : []),
    ...(isNoneKnown ? [`name servers of ${nameServers.name}`] : []),
    ...(credentials?.isReady === false ? [`the secret key of ${credentials.name}`] : []),
    ...(registers && !isNoneKnown && registrar.registeredAddressList.length === 0 ? ['any name server'] : []),
    ...(health.health === 'failing' && !registers ? ['the node to pass'] : []),
    ...(role !== undefined && role.current === undefined ? [`the role of ${role.name}`] : []),
  ];
}

function describeSource({ name, current, problem, errors = 0, lastGoodMillis }: TopicSource, clock: Clock) {
  const ageMillis = lastGoodMillis === undefined ? undefined : Math.round(clock.monotonic() - lastGoodMillis);
  return { name, topics: current?.table.size, problem, errors, ageMillis };
}
