import type { BrokerIdentity } from './agent-config.js';
import type { HookEvent } from './hook-config.js';
import type { HookMessage } from './hook-runner.js';

/**
 * What a hook is told: `{event, time, clusterName, brokerName, brokerId, brokerAddr}` and the event's own fields, with null for what is not
 * known; and as variables those that are no lists, `brokerName` as `RMQ_AGENT_BROKER_NAME`.
 */
export function hookMessage(
  event: HookEvent,
  { clusterName, brokerName, brokerId, brokerAddr }: BrokerIdentity,
  nowMillis: number,
  details: object,
): HookMessage {
  const time = new Date(nowMillis).toISOString();
  const fields = { event, time, clusterName, brokerName, brokerId, brokerAddr, ...details };
  const variables: Record<string, string> = {};
  for (const [name, value] of Object.entries(fields)) {
    if (typeof value === 'object') continue;
    // What peers said must not end the variable, nor steer whoever prints it.
    variables[`RMQ_AGENT_${toUpperSnakeCase(name)}`] = String(value ?? '').replace(/\p{Cc}/gu, ' ');
  }
  return { json: `${JSON.stringify(fields, (_, value: unknown) => jsonValue(value))}\n`, variables };
}

function toUpperSnakeCase(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `_${letter}`).toUpperCase();
}

function jsonValue(value: unknown): unknown {
  if (value === undefined) return null;
  return typeof value === 'bigint' ? String(value) : value;
}
