/** Codes and remarks that this layer itself answers with (reference: remoting 2.10, 3.3). */
export const SystemCode = {
  SUCCESS: 0,
  SYSTEM_ERROR: 1,
  SYSTEM_BUSY: 2,
  REQUEST_CODE_NOT_SUPPORTED: 3,
} as const;

/** Peers and operators know these texts; the leading blank of the first is upstream's. */
export const SystemRemark = {
  notSupported: (code: number): string => ` request type ${code} not supported`,
  REJECTED: '[REJECTREQUEST]system busy, start flow control for a while',
} as const;
