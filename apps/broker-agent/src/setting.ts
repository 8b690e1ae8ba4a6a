/** One option as somebody wrote it. */
export interface Setting {
  readonly key: string;
  readonly text: string;
  /** Where it was written, to stand before the key in a complaint: `file:line `, `environment NAME, `, `--set `. */
  readonly where: string;
}
