/** What a node is in its group, which may change while it runs. */
export interface BrokerRole {
  /** 0: the master. */
  readonly brokerId: number;
  /** Bits of PermName. */
  readonly brokerPermission: number;
}

/** Something that knows the node's role. The last known one stays whatever happens to it. */
export interface RoleSource {
  /** For log and status: whom is asked. */
  readonly name: string;
  /** `undefined` as long as none is known: nothing is registered before. */
  readonly current: BrokerRole | undefined;
  /** Why the last look was not good; `undefined` when it was. */
  readonly problem?: string | undefined;
  /** `onChange` is called whenever {@link current} differs after that. */
  start(onChange: () => void): void;
  close(): void;
}
