import type { AgentStatus } from './agent-status.js';
import { missingForReadiness } from './readiness.js';

/** What `/status` has: an {@link AgentStatus} and whether it is ready. What is not known is null. */
export interface StatusDocument extends AgentStatus {
  /** Another one when a field changes its meaning; new fields may come without. */
  readonly schema: 1;
  readonly version: string;
  readonly ready: boolean;
  /** What lacks for it, a phrase each. */
  readonly missing: readonly string[];
}

export function statusDocument(status: AgentStatus, version: string): StatusDocument {
  const missing = missingForReadiness(status);
  return { schema: 1, version, ready: missing.length === 0, missing, ...status };
}

/** As JSON, with `null` for what is not known and text for whole numbers beyond 2^53. */
export function statusJson(document: StatusDocument): string {
  return `${JSON.stringify(document, (_, value: unknown) => jsonValue(value), 2)}\n`;
}

function jsonValue(value: unknown): unknown {
  if (value === undefined) return null;
  return typeof value === 'bigint' ? String(value) : value;
}
