/** How a program of ours ends. Apache's say 1 for a wrong argument and 255 for all else; these tell the reasons apart (after sysexits.h). */
export const ExitCode = {
  /** A stop by signal, or what was asked for was done. */
  OK: 0,
  /** It could not start (port in use, file not found), or what was asked for failed. Starting it again later may help. */
  FAILED: 1,
  /** The command line is wrong. */
  USAGE: 64,
  /** A defect of the program. */
  INTERNAL: 70,
  /** The configuration is wrong; starting it again does not help. */
  CONFIG: 78,
} as const;

export type ExitCode = (typeof ExitCode)[keyof typeof ExitCode];
