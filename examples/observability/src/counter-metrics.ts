import type { RemotingCounters } from '@rmqns/remoting';

/** The counts of a client or server in Prometheus's text format, to be read anew at each scrape. `role` tells several apart. */
export function counterMetrics(counters: RemotingCounters, role: string): string {
  const lines: string[] = [];
  const add = (name: string, labels: string, value: number): void => {
    lines.push(`rmqns_remoting_${name}_total{role="${role}"${labels}} ${value}`);
  };
  for (const [name, value] of Object.entries(counters)) {
    const metric = toSnakeCase(name);
    lines.push(`# TYPE rmqns_remoting_${metric}_total counter`);
    if (typeof value === 'number') add(metric, '', value);
    else
      for (const [key, count] of Object.entries(value))
        add(metric, `,${labelOf(name)}="${toSnakeCase(key)}"`, Number(count));
  }
  return `${lines.join('\n')}\n`;
}

function labelOf(name: string): string {
  return name === 'decodeErrors' ? 'kind' : 'code';
}

function toSnakeCase(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}
