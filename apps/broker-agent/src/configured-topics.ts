import { type Clock, type Logger, RemotingClient } from '@rmqns/remoting';
import type { AgentConfig, TopicSourceConfig } from './agent-config.js';
import { brokerTopicsOf, execTopics, httpTopics } from './ask-for-topics.js';
import { PolledTopicSource } from './polled-topic-source.js';
import { staticTopicsSource } from './static-topics-source.js';
import type { TopicSource } from './topic-source.js';
import { TopicsJsonSource } from './topics-json-source.js';
import { uniqueNames } from './unique-names.js';
import { urlName } from './url-name.js';

/** How often a broker is asked, and how long it may take. */
const BROKER_PERIOD_MILLIS = 10_000;
const BROKER_TIMEOUT_MILLIS = 5_000;

/** The sources that the configuration asks for. */
export function topicSources(config: AgentConfig['topics'], clock: Clock, logger: Logger): TopicSource[] {
  const names = uniqueNames(config.sources.map(nameOf));
  return config.sources.map((source, index) => {
    const name = names[index] ?? '';
    if (source.kind === 'static') return staticTopicsSource(source.table, name);
    if (source.kind === 'file')
      return new TopicsJsonSource({ path: source.path, clock, logger, debounceMillis: config.debounceMillis });
    if (source.kind === 'broker') return brokerSource(name, source.address, clock, logger);
    const ask = source.kind === 'http' ? httpTopics(source.url, source.etag) : execTopics(source.command);
    return new PolledTopicSource({ ...source, name, ask, clock, logger });
  });
}

function brokerSource(name: string, address: string, clock: Clock, logger: Logger): TopicSource {
  const client = new RemotingClient({ clock });
  return new PolledTopicSource({
    name,
    ask: brokerTopicsOf(client, address, BROKER_TIMEOUT_MILLIS),
    everyMillis: BROKER_PERIOD_MILLIS,
    timeoutMillis: BROKER_TIMEOUT_MILLIS,
    clock,
    logger,
    onClose: () => void client.destroy(),
  });
}

function nameOf(config: TopicSourceConfig): string {
  if (config.kind === 'file') return config.path;
  if (config.kind === 'broker') return `broker ${config.address}`;
  if (config.kind === 'http') return urlName(config.url);
  return config.kind === 'exec' ? `exec ${config.command[0]}` : 'static';
}
