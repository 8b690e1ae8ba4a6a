export interface ClientCloseOptions {
  /** How long calls under way may take to end; default as long as their own timeouts allow. What is not done then is cut off. */
  readonly graceMillis?: number | undefined;
  /** Ends the grace when it aborts: what is not done then is cut off. Close does not reject for it. */
  readonly signal?: AbortSignal | undefined;
}

/** How the calls ended that were under way when a client was closed. */
export interface CloseReport {
  /** By themselves, in whatever way. */
  readonly finished: number;
  /** By the close, with `CLOSED`. */
  readonly cut: number;
}
