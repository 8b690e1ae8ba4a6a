import type { Health } from './health-gate.js';

/** How many looks in a row turn a probe. */
export interface ProbeRules {
  /** Passes that make it pass, at least 1. */
  readonly rise: number;
  /** Failures that make it fail, at least 1. */
  readonly fall: number;
}

/** What a probe has seen. */
export interface ProbeState {
  readonly health: Health;
  /** How many looks in a row, the last one included, said otherwise than {@link health}. */
  readonly contrary: number;
  /** Since when it has this health, by the clock that was told. */
  readonly sinceMillis: number;
}

/** A probe before its first look. */
export function newProbeState(initial: Health, nowMillis: number): ProbeState {
  return { health: initial, contrary: 0, sinceMillis: nowMillis };
}

/** The state after one more look. */
export function observe(state: ProbeState, passed: boolean, { rise, fall }: ProbeRules, nowMillis: number): ProbeState {
  const { health, sinceMillis } = state;
  if (passed === (health === 'passing')) return { health, contrary: 0, sinceMillis };
  const contrary = state.contrary + 1;
  if (contrary < (passed ? rise : fall)) return { health, contrary, sinceMillis };
  return { health: passed ? 'passing' : 'failing', contrary: 0, sinceMillis: nowMillis };
}

/** The node's health by that of its probes: with `all` each must pass, with `any` one; without probes it passes. */
export function combine(probes: readonly Health[], mode: 'all' | 'any'): Health {
  if (probes.length === 0) return 'passing';
  const passing = probes.filter((health) => health === 'passing').length;
  return (mode === 'all' ? passing === probes.length : passing > 0) ? 'passing' : 'failing';
}
