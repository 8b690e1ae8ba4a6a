/** What a long run came to. */
export interface SoakReport {
  readonly figures: Readonly<Record<string, unknown>>;
  /** What should not have been; none when all is well. */
  readonly faults: readonly string[];
}

/** Reads a number from the command line. */
type NumberOption = (name: 'count' | 'seed' | 'lanes' | 'seconds' | 'minutes', otherwise: number) => number;

export type SoakScenario = (number: NumberOption) => Promise<SoakReport>;

export function say(text: string): void {
  process.stdout.write(`${text}\n`);
}
