/** Permission bits of a topic on a broker (upstream: `PermName`; reference: nameserver 3.1). */
export const PermName = {
  PRIORITY: 8,
  READ: 4,
  WRITE: 2,
  /** New topics may be made after this one, as with `TBW102`. */
  INHERIT: 1,
} as const;

/** Whether consumers may read. */
export function isReadable(perm: number): boolean {
  return (perm & PermName.READ) !== 0;
}

/** Whether producers may write. */
export function isWritable(perm: number): boolean {
  return (perm & PermName.WRITE) !== 0;
}

/** Whether topics may be created after this one. */
export function isInherited(perm: number): boolean {
  return (perm & PermName.INHERIT) !== 0;
}

/** The text that tools show, as `RW-` for 6 and `RWX` for 7 (upstream: `PermName.perm2String`). */
export function permToString(perm: number): string {
  return `${isReadable(perm) ? 'R' : '-'}${isWritable(perm) ? 'W' : '-'}${isInherited(perm) ? 'X' : '-'}`;
}
