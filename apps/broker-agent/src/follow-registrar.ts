import type { BrokerRegistrar } from '@rmqns/namesrv-client';
import type { Logger } from '@rmqns/remoting';
import type { AgentEventMap } from './agent-events.js';
import type { NameServerRecords } from './name-server-records.js';
import type { RegistrationLog } from './registration-log.js';

export interface RegistrarFollowers {
  readonly records: NameServerRecords;
  readonly log: RegistrationLog;
  readonly logger: Logger;
  readonly tell: <Event extends keyof AgentEventMap>(event: Event, ...args: AgentEventMap[Event]) => void;
  /** Told of the name servers' table of ordered topics, changed or not. */
  readonly onOrderTopics: (table: ReadonlyMap<string, string>) => void;
}

/** Has what happens to a registration noted, logged and told on. */
export function followRegistrar(registrar: BrokerRegistrar, followers: RegistrarFollowers): void {
  const { records, log, logger, tell, onOrderTopics } = followers;
  registrar
    .on('round', (round) => {
      log.round(round, registrar.flappingAddressList);
      tell('round', round);
    })
    .on('outcome', (outcome, late) => {
      records.note(outcome);
      log.outcome(outcome, late);
      tell('outcome', outcome, late);
    })
    .on('flapping', (namesrv, shortConnections) => log.flapping(namesrv, shortConnections))
    .on('reconnect', (outcome) => {
      records.note(outcome);
      log.reconnect(outcome);
      tell('reconnect', outcome);
    })
    .on('conflict', (conflict) => {
      log.conflict(conflict);
      tell('conflict', conflict);
    })
    .on('conflictEnded', (namesrv) => {
      log.conflictEnded(namesrv);
      tell('conflictEnded', namesrv);
    })
    .on('masterChanged', (master, namesrv) => {
      log.masterChanged(master, namesrv);
      tell('masterChanged', master, namesrv);
    })
    .on('minBrokerIdChanged', (min) => {
      const fields = { minBrokerId: min?.minBrokerId ?? null, minBrokerAddr: min?.minBrokerAddr ?? null };
      logger.info(fields, 'the smallest id of the group is another one');
      tell('minBrokerIdChanged', min);
    })
    .on('tlsReload', ({ ok, message, serialNumber, validTo }) => {
      if (ok) logger.info({ serialNumber, validTo }, message);
      else logger.warn({}, message);
    })
    .on('orderTopicConfig', (table, namesrv) => {
      if (log.orderTopics(table, namesrv)) tell('orderTopicsChanged', table, namesrv);
      onOrderTopics(table);
    });
}
