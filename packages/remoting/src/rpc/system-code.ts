/** Codes and remarks that this layer itself answers with (reference: remoting 2.10, 3.3, 3.10). */
export const SystemCode = {
  SUCCESS: 0,
  SYSTEM_ERROR: 1,
  SYSTEM_BUSY: 2,
  REQUEST_CODE_NOT_SUPPORTED: 3,
  GO_AWAY: 1500,
} as const;

/** Peers and operators know these texts; the leading blank of the first is upstream's. */
export const SystemRemark = {
  notSupported: (code: number): string => ` request type ${code} not supported`,
  REJECTED: '[REJECTREQUEST]system busy, start flow control for a while',
  OVERLOAD: '[OVERLOAD]system busy, start flow control for a while',
  /** As upstream's storage node says it of itself. */
  timeoutInQueue: (queuedMillis: number, size: number): string =>
    `[TIMEOUT_CLEAN_QUEUE]system busy, start flow control for a while, period in queue: ${Math.round(queuedMillis)}ms, size of queue: ${size}`,
  GO_AWAY: 'please go away',
} as const;

/** Peers of later releases know GO_AWAY (reference: remoting 3.10). */
export const LAST_VERSION_WITHOUT_GO_AWAY = 475;
