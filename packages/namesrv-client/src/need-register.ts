import { type DataVersion, sameDataVersion } from '@rmqns/protocol';
import type { Clock } from '@rmqns/remoting';
import type { BrokerIdentity } from './broker-identity.js';
import { type FanOutResult, fanOut, type NameServerOutcome } from './fan-out.js';
import type { DataVersionAnswer, NameServerClient } from './name-server-client.js';
import { DEFAULT_REGISTER_BROKER_TIMEOUT_MILLIS } from './register-broker-all.js';

export interface NeedRegisterOptions {
  /** For each call and for the barrier; default 6,000. */
  readonly timeoutMillis?: number | undefined;
  /** Whether versions carry and compare `stateVersion`, as 5.x brokers have it. Default false. */
  readonly fiveX?: boolean | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** Whether the name servers are to be told of a broker's topic table. */
export interface NeedRegisterResult extends FanOutResult<DataVersionAnswer> {
  /** Whether any of them has another table, or failed to say. */
  readonly needed: boolean;
  /** The name servers that want to be told, in the order of their answers. */
  readonly changedAddresses: readonly string[];
}

/**
 * Asks all name servers at once whether they have this version of a broker's topic table (322; upstream: `BrokerOuterAPI.needRegister`;
 * reference: broker-registration 2.4). One counts as changed when it says so, when it has another version whatever it says, and when
 * it cannot be asked or its answer cannot be read. One that answers with an error code does not count, nor does one that is silent
 * until the time is up.
 */
export async function needRegister(
  client: NameServerClient,
  addresses: readonly string[],
  identity: BrokerIdentity,
  dataVersion: DataVersion,
  options: NeedRegisterOptions = {},
): Promise<NeedRegisterResult> {
  const { timeoutMillis = DEFAULT_REGISTER_BROKER_TIMEOUT_MILLIS, fiveX = false, signal } = options;
  const own = ownVersion(dataVersion, fiveX);
  const ask = (address: string) => client.queryDataVersion(address, identity, own, { timeoutMillis, signal, fiveX });
  const result = await fanOut(addresses, ask, { timeoutMillis, clock: client.clock });
  const changedAddresses = result.completed.filter((outcome) => isChanged(outcome, own)).map(({ address }) => address);
  return { ...result, needed: changedAddresses.length > 0, changedAddresses };
}

/** What is known once it is clear whether a table is to be registered. */
export interface RegisterDecision {
  readonly needed: boolean;
  /** When needed those that came until then, in the order of their coming; else one for each name server. */
  readonly queryOutcomes: readonly NameServerOutcome<DataVersionAnswer>[];
}

/** Asks as {@link needRegister} does, but has decided as soon as one name server wants to be told: no other can change that. */
export function decideRegister(
  addresses: readonly string[],
  ask: (address: string) => Promise<DataVersionAnswer>,
  own: DataVersion,
  options: { readonly timeoutMillis: number; readonly clock: Clock },
): Promise<RegisterDecision> {
  return new Promise((resolve) => {
    const answered: NameServerOutcome<DataVersionAnswer>[] = [];
    const onOutcome = (outcome: NameServerOutcome<DataVersionAnswer>, late: boolean): void => {
      answered.push(outcome);
      if (!late && isChanged(outcome, own)) resolve({ needed: true, queryOutcomes: [...answered] });
    };
    // Comes after the last outcome in time was told, so that it finds the promise settled where one wants to be told.
    void fanOut(addresses, ask, { ...options, onOutcome }).then(({ outcomes }) =>
      resolve({ needed: false, queryOutcomes: outcomes }),
    );
  });
}

function isChanged({ status, result, error }: NameServerOutcome<DataVersionAnswer>, own: DataVersion): boolean {
  if (status === 'failed') return error?.code !== 'COMMAND_FAILED';
  if (status !== 'ok' || result === undefined) return false;
  return result.changed || (result.dataVersion !== undefined && !sameDataVersion(result.dataVersion, own));
}

/** A version as a broker of this kind has it. */
export function ownVersion(dataVersion: DataVersion, fiveX: boolean): DataVersion {
  return fiveX ? dataVersion : { ...dataVersion, stateVersion: 0 };
}
