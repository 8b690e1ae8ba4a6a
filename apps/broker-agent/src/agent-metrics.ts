import { Counter, Gauge, Histogram, Registry } from 'prom-client';
import type { Agent } from './agent.js';
import type { AgentStatus } from './agent-status.js';
import { missingForReadiness } from './readiness.js';

const DURATION_BUCKETS = [0.001, 0.005, 0.01, 0.05, 0.1, 0.5, 1, 3, 6];

/** What a metric is for each set of labels; nothing where it is not known. */
type Values = (status: AgentStatus) => (readonly [Readonly<Record<string, string>>, number | undefined])[];

/** The agent's metrics in Prometheus's text format: counts of what happened since the start, and the rest as it stands at the scrape. */
export class AgentMetrics {
  readonly #registry = new Registry();
  readonly #registrations = this.#counter(
    'registrations_total',
    'Registrations with a name server.',
    'namesrv',
    'result',
  );
  readonly #registrationSeconds = this.#histogram('registration_duration_seconds', 'Time to the answer.', 'namesrv');
  readonly #roundSeconds = this.#histogram('round_duration_seconds', 'Time until a round was over.');
  readonly #rounds = this.#counter('rounds_total', 'Rounds by how many name servers took them.', 'result');
  readonly #transitions = this.#counter('health_transitions_total', 'Changes of the health of the node.', 'to');
  readonly #conflicts = this.#counter(
    'conflicts_total',
    'Times another node was found with our name and id.',
    'namesrv',
  );
  readonly #hookRuns = this.#counter('hook_runs_total', 'Runs of hooks.', 'hook', 'result');
  readonly #status: () => AgentStatus;

  constructor(status: () => AgentStatus) {
    this.#status = status;
    this.#defineGauges();
    for (const to of ['passing', 'failing']) this.#transitions.inc({ to }, 0);
    for (const result of ['all', 'partial', 'none']) this.#rounds.inc({ result }, 0);
  }

  get contentType(): string {
    return this.#registry.contentType;
  }

  /** Counts what an agent does from now on. */
  follow(agent: Agent): void {
    agent
      .on('round', ({ needed, outcomes, durationMillis }) => {
        if (!needed) return;
        const registered = outcomes.filter(({ status }) => status === 'ok').length;
        const result = registered === 0 ? 'none' : registered === outcomes.length ? 'all' : 'partial';
        this.#rounds.inc({ result });
        this.#roundSeconds.observe(durationMillis / 1_000);
      })
      .on('outcome', (outcome) => this.#outcome(outcome))
      .on('reconnect', (outcome) => this.#outcome(outcome))
      .on('conflict', ({ nameServer }) => this.#conflicts.inc({ namesrv: nameServer }))
      .on('healthChanged', (to) => this.#transitions.inc({ to }));
  }

  /** A hook ran, or was left out. */
  hookRan(hook: string, result: string): void {
    this.#hookRuns.inc({ hook, result });
  }

  /** In Prometheus's text format. */
  text(): Promise<string> {
    return this.#registry.metrics();
  }

  #outcome({ address, status, durationMillis }: { address: string; status: string; durationMillis: number }): void {
    this.#registrations.inc({ namesrv: address, result: status });
    if (status === 'ok') this.#registrationSeconds.observe({ namesrv: address }, durationMillis / 1_000);
  }

  #defineGauges(): void {
    const gauge = this.#gauge.bind(this);
    gauge('up', 'Whether the agent runs.', [], () => [[{}, 1]]);
    gauge('ready', 'Whether a name server has the node.', [], (status) => [
      [{}, missingForReadiness(status).length === 0 ? 1 : 0],
    ]);
    gauge('healthy', 'Whether the node passes.', [], ({ health }) => [[{}, health === 'passing' ? 1 : 0]]);
    gauge('last_success_timestamp_seconds', 'When a name server last took a table.', ['namesrv'], ({ nameServers }) =>
      nameServers.servers.map(({ address, lastSuccessMillis }) => [{ namesrv: address }, seconds(lastSuccessMillis)]),
    );
    gauge('conflict', 'Whether a name server has another node with our name and id.', ['namesrv'], ({ nameServers }) =>
      nameServers.servers.map(({ address, conflict }) => [{ namesrv: address }, conflict === undefined ? 0 : 1]),
    );
    gauge('namesrv_known', 'Name servers in the list.', [], ({ nameServers }) => [[{}, nameServers.servers.length]]);
    gauge('topics', 'Topics of a source.', ['source'], ({ topics }) =>
      topics.sources.map(({ name, topics: count }) => [{ source: name }, count]),
    );
    const errors = 'Looks at a source that were not good.';
    this.#scraped(Counter, 'source_errors_total', errors, ['source'], ({ topics }) =>
      topics.sources.map(({ name, errors: count }) => [{ source: name }, count]),
    );
    gauge('source_age_seconds', 'Time since the last good look at a source.', ['source'], ({ topics }) =>
      topics.sources.map(({ name, ageMillis }) => [{ source: name }, seconds(ageMillis)]),
    );
    gauge('data_version_counter', 'The counter of the published data version.', [], ({ topics }) => [
      [{}, topics.dataVersion === undefined ? undefined : Number(topics.dataVersion.counter)],
    ]);
    gauge('probe_success', 'Whether a probe passes.', ['probe'], ({ probes }) =>
      probes.map(({ name, health }) => [{ probe: name }, health === 'passing' ? 1 : 0]),
    );
    gauge('probe_duration_seconds', 'How long the last look of a probe took.', ['probe'], ({ probes }) =>
      probes.map(({ name, durationMillis }) => [{ probe: name }, seconds(durationMillis)]),
    );
  }

  #gauge(name: string, help: string, labelNames: string[], values: Values): void {
    this.#scraped(Gauge, name, help, labelNames, values);
  }

  /** Asked at each scrape; what is gone leaves with its series. */
  #scraped(
    Metric: typeof Gauge | typeof Counter,
    name: string,
    help: string,
    labelNames: string[],
    values: Values,
  ): void {
    const status = this.#status;
    const collect = (): void => {
      metric.reset();
      for (const [labels, value] of values(status())) if (value !== undefined) metric.inc(labels, value);
    };
    const metric = new Metric({
      name: `rocketmq_agent_${name}`,
      help,
      labelNames,
      registers: [this.#registry],
      collect,
    });
  }

  #counter(name: string, help: string, ...labelNames: string[]): Counter {
    return new Counter({ name: `rocketmq_agent_${name}`, help, labelNames, registers: [this.#registry] });
  }

  #histogram(name: string, help: string, ...labelNames: string[]): Histogram {
    const options = { name: `rocketmq_agent_${name}`, help, labelNames, registers: [this.#registry] };
    return new Histogram({ ...options, buckets: DURATION_BUCKETS });
  }
}

function seconds(millis: number | undefined): number | undefined {
  return millis === undefined ? undefined : millis / 1_000;
}
