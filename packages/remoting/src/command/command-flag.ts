/** Bits of {@link RemotingCommand.flag}; others are ignored and kept (reference: remoting 2.3). */
export const CommandFlag = {
  /** Set: a response; clear: a request. */
  RESPONSE: 1,
  /** Set: the sender wants no answer. */
  ONEWAY: 2,
} as const;
