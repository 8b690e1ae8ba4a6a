const reasons: Readonly<Record<string, string>> = {
  ENOENT: 'there is no such file',
  EACCES: 'permission denied; check its owner and mode',
  EISDIR: 'it is a directory',
  ENOTDIR: 'a part of the path is no directory',
  EROFS: 'the file system is read-only',
  EEXIST: 'a file is where a directory should be',
  ENOSPC: 'the disk is full',
};

/** Why a file could not be read or written, in words. */
export function describeFileError(error: unknown): string {
  const code = (error as { readonly code?: unknown } | null)?.code;
  const reason = typeof code === 'string' ? reasons[code] : undefined;
  return reason ?? (error instanceof Error ? error.message : String(error));
}
