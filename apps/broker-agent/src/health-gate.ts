/** Whether the node may be registered. */
export type Health = 'passing' | 'failing';

/** What becomes of the registration while the node fails; before it passed for the first time nothing is registered whatever is said here. */
export type OnFailing =
  /** All name servers are told that it leaves. */
  | 'unregister'
  /** It stays, and no topic is writable. */
  | 'read-only'
  /** Nothing is sent; name servers drop it when its time is up. */
  | 'silent'
  /** It stays as it is. */
  | 'keep';

/** One probe as it stands. */
export interface ProbeStatus {
  /** For log, status and metrics, another for each probe. */
  readonly name: string;
  readonly health: Health;
  /** What the last look said. */
  readonly output?: string | undefined;
  /** Since when it has this health, by the wall clock. */
  readonly sinceMillis?: number | undefined;
  /** How long the last look took. */
  readonly durationMillis?: number | undefined;
}

/** Says whether the node is fit to be found. The agent asks {@link health} and is told of changes; rise, fall and all or any are the gate's. */
export interface HealthGate {
  readonly health: Health;
  readonly probes: readonly ProbeStatus[];
  /** The probes begin. `onChange` is called whenever {@link health} differs after that. */
  start(onChange: () => void): void;
  close(): void;
}

/** The gate of a node without probes. */
export const alwaysPassing: HealthGate = { health: 'passing', probes: [], start: () => {}, close: () => {} };
