import type { TopicConfig } from '@rmqns/protocol';
import type { Health, HealthGate } from '../src/health-gate.js';
import type { NameServerSource } from '../src/name-server-source.js';
import type { BrokerRole, RoleSource } from '../src/role-source.js';
import type { TopicSource } from '../src/topic-source.js';
import type { SourceTopics } from '../src/topics-json.js';

/** A part that a test turns. */
class Turnable {
  #onChange = (): void => {};

  listen(onChange: () => void): void {
    this.#onChange = onChange;
  }

  protected changed(): void {
    this.#onChange();
  }

  close(): void {
    this.#onChange = () => {};
  }
}

export class TurnableHealth extends Turnable implements HealthGate {
  readonly probes = [];
  health: Health = 'failing';

  start(onChange: () => void): void {
    this.listen(onChange);
  }

  turn(health: Health): void {
    this.health = health;
    this.changed();
  }
}

export class TurnableNameServers extends Turnable implements NameServerSource {
  readonly name = 'turnable';
  current: readonly string[] | undefined;

  async start(onChange: () => void): Promise<void> {
    this.listen(onChange);
  }

  turn(current: readonly string[]): void {
    this.current = current;
    this.changed();
  }
}

export class TurnableRole extends Turnable implements RoleSource {
  readonly name = 'turnable';
  current: BrokerRole | undefined;

  start(onChange: () => void): void {
    this.listen(onChange);
  }

  turn(current: BrokerRole): void {
    this.current = current;
    this.changed();
  }
}

export class TurnableTopics extends Turnable implements TopicSource {
  readonly name = 'turnable';
  current: SourceTopics | undefined;

  async start(onChange: () => void): Promise<void> {
    this.listen(onChange);
  }

  turn(...names: readonly string[]): void {
    this.current = { table: new Map(names.map((name) => [name, topic(name)])) };
    this.changed();
  }
}

export const topic = (topicName: string): TopicConfig => ({
  topicName,
  readQueueNums: 4,
  writeQueueNums: 4,
  perm: 6,
  topicFilterType: 'SINGLE_TAG',
  topicSysFlag: 0,
  order: false,
});
