/** How route data is written, which depends on the name server's release and on who asks (reference: nameserver 2.7). */
export interface RouteDialect {
  /** Strict JSON with sorted maps and ASCII text, for callers from 4.9.4 on; else upstream's own JSON, with unquoted broker ids. */
  readonly standardJson: boolean;
  /** The name of a queue's flag: `topicSynFlag` up to 4.8. */
  readonly queueFlagName: 'topicSynFlag' | 'topicSysFlag';
  /** Whether brokers carry `enableActingMaster` and `zoneName`. */
  readonly fiveX: boolean;
}
