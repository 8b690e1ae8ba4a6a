export const PAGE_BYTES = 64 * 1024;
/** 4 MiB: a body of some 40,000 topics. */
const MAX_KEPT = 64;

const kept: Buffer[] = [];

/** Memory with undefined content, of {@link PAGE_BYTES}: that which was given back last, as it may still be in the processor's caches. */
export function takePage(): Buffer {
  return kept.pop() ?? Buffer.allocUnsafeSlow(PAGE_BYTES);
}

/**
 * Gives pages back that nobody has any more, once and once only. Those that are never given back cost nothing but that: they are collected as any
 * memory is.
 */
export function givePagesBack(pages: readonly Buffer[]): void {
  for (const page of pages) if (kept.length < MAX_KEPT) kept.push(page);
}
