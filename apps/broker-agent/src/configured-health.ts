import type { Clock, Logger } from '@rmqns/remoting';
import type { ProbeConfig, ProbingConfig } from './agent-config.js';
import { alwaysPassing, type HealthGate } from './health-gate.js';
import { execProbe, httpProbe, type Probe, tcpProbe } from './probe.js';
import { ProbedHealth } from './probed-health.js';
import { uniqueNames } from './unique-names.js';
import { urlName } from './url-name.js';

/** The gate that the configuration asks for. */
export function healthGate(config: ProbingConfig | undefined, clock: Clock, logger: Logger): HealthGate {
  if (config === undefined) return alwaysPassing;
  const names = uniqueNames(config.probes.map(nameOf));
  const probes = config.probes.map((probe, index) => ({ ...probe, name: names[index] ?? '', probe: probeOf(probe) }));
  return new ProbedHealth({ ...config, probes, clock, logger });
}

function nameOf(config: ProbeConfig): string {
  if (config.kind === 'tcp') return `tcp ${config.address}`;
  if (config.kind === 'http') return `http ${urlName(config.url)}`;
  return `exec ${config.command[0]}`;
}

function probeOf(config: ProbeConfig): Probe {
  if (config.kind === 'tcp') return tcpProbe(config.address);
  if (config.kind === 'http') return httpProbe(config.url, config.expect, config.body);
  return execProbe(config.command);
}
