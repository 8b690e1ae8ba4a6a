import { endOnSignal, type ProgramLog } from '@rmqns/program';
import { systemClock } from '@rmqns/remoting';
import { AdminCompanion } from './admin-companion.js';
import { AgentService } from './agent-service.js';
import { agentVersion } from './cli-arguments.js';
import { FacadeCompanion } from './facade-companion.js';
import { HooksCompanion } from './hooks-companion.js';
import type { EffectiveConfig } from './load-agent-config.js';
import { startFailure } from './start-failure.js';
import { SystemdNotifier } from './systemd-notifier.js';

/**
 * Runs the agent until a signal comes; SIGHUP has it read its configuration again.
 *
 * @param load reads the configuration again; throws what is wrong with it
 * @throws Exit when it cannot start
 */
export async function runAgent(
  { config, notes }: EffectiveConfig,
  load: () => Promise<EffectiveConfig>,
  log: ProgramLog,
): Promise<void> {
  const { logger } = log;
  for (const note of notes) logger.info(note);
  const service = new AgentService({ config, clock: systemClock, logger });
  const systemd = new SystemdNotifier({ variables: process.env, pid: process.pid, clock: systemClock, logger });
  const admin = new AdminCompanion({ status: () => service.status, version: agentVersion(), logger });
  const onResult = (hook: string, result: string): void => admin.hookRan(hook, result);
  service.add(admin);
  service.add(new HooksCompanion({ clock: systemClock, logger, onResult }));
  service.add(new FacadeCompanion({ status: () => service.status, clock: systemClock, logger }));
  endOnSignal({
    program: 'rmq-agent',
    what: 'the agent',
    log,
    stop: async () => {
      systemd.stopping();
      await service.stop();
      await systemd.close();
    },
  });
  process.on('SIGHUP', () => {
    systemd.reloading();
    void reload(service, load, log).then(() => systemd.ready());
  });
  try {
    // What the agent waits for then is in its log; systemd would end a service that does not say for 90 s that it started.
    await service.start(() => systemd.ready());
  } catch (error) {
    await Promise.all([service.stop(), systemd.close()]);
    await log.close();
    throw startFailure(error, config.stateDirectory);
  }
}

async function reload(
  service: AgentService,
  load: () => Promise<EffectiveConfig>,
  { logger }: ProgramLog,
): Promise<void> {
  let effective: EffectiveConfig;
  try {
    effective = await load();
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    logger.error({}, `the configuration was read again and is not taken, the former one stays: ${reason}`);
    return;
  }
  for (const note of effective.notes) logger.info(note);
  await service.reload(effective.config);
}
