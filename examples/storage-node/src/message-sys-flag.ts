/** Bits of a message's `sysFlag` that concern a node (reference: storage-node 4.3; upstream: `MessageSysFlag`). */
export const MessageSysFlag = {
  COMPRESSED: 0x1,
  /** Both bits of the transaction's state. */
  TRANSACTION_MASK: 0xc,
  TRANSACTION_PREPARED: 0x4,
  /** The address of the producer has 16 bytes. */
  BORN_HOST_V6: 0x10,
  /** The address of the node has 16 bytes. */
  STORE_HOST_V6: 0x20,
} as const;
