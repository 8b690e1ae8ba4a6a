export interface ConnectOptions {
  /** Ends the wait with `ABORTED`; the dial goes on for others. */
  readonly signal?: AbortSignal | undefined;
  /** Default the client's `timeoutMillis`. */
  readonly timeoutMillis?: number | undefined;
  /** Waits for an address that is left alone after failed dials, as the option of calls. */
  readonly waitForReady?: boolean | undefined;
}

/** How long {@link RemotingClient.refreshNameServerAddressList} waits. */
export interface RefreshOptions {
  /** Ends the wait with `ABORTED`; the lookup goes on for others who asked for it. */
  readonly signal?: AbortSignal | undefined;
}
