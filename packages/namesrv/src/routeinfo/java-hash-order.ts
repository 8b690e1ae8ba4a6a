import type { Long } from '@rmqns/remoting/json';

/**
 * Which of some names, or ids, Java's HashMap or ConcurrentHashMap shows first, where an answer of Apache's depends on that (reference:
 * nameserver 8.6). The names come in the order in which they were put, which decides within a bucket.
 *
 * @param capacity the table's initial size, a power of two; it doubles as the names fill three quarters of it
 */
export function firstInJavaOrder<T>(
  entries: Iterable<T>,
  keyOf: (entry: T) => string | Long,
  { size, capacity }: { readonly size: number; readonly capacity: number },
): T | undefined {
  const buckets = bucketsFor(size, capacity);
  let first: T | undefined;
  let firstBucket = buckets;
  for (const entry of entries) {
    const bucket = bucketOf(keyOf(entry), buckets);
    if (bucket < firstBucket) {
      first = entry;
      firstBucket = bucket;
    }
  }
  return first;
}

/**
 * Entries in the order in which Java's HashMap of 16 buckets, or more as they fill it, shows their names; they come in the order in which
 * they were put. The same array where that is the order already.
 *
 * @param concurrent whether it is a ConcurrentHashMap, which doubles one name earlier
 */
export function inJavaOrder<T>(
  entries: readonly T[],
  nameOf: (entry: T) => string,
  { concurrent = false }: { readonly concurrent?: boolean } = {},
): readonly T[] {
  if (entries.length < 2) return entries;
  const buckets = bucketsFor(concurrent ? entries.length + 1 : entries.length, 16);
  const places = entries.map((entry) => bucketOf(nameOf(entry), buckets));
  if (places.every((place, index) => index === 0 || (places[index - 1] ?? 0) <= place)) return entries;
  const order = [...places.keys()].sort((a, b) => (places[a] ?? 0) - (places[b] ?? 0) || a - b);
  return order.map((index) => entries[index] as T);
}

function bucketsFor(size: number, capacity: number): number {
  let buckets = capacity;
  while (size > buckets * 0.75) buckets *= 2;
  return buckets;
}

function bucketOf(key: string | Long, buckets: number): number {
  const hash = typeof key === 'string' ? stringHash(key) : longHash(key);
  return (hash ^ (hash >>> 16)) & (buckets - 1);
}

/** `Long.hashCode`. */
function longHash(value: Long): number {
  const bits = BigInt(value);
  return Number(BigInt.asIntN(32, bits)) ^ Number(BigInt.asIntN(32, bits >> 32n));
}

/** `String.hashCode`. */
function stringHash(text: string): number {
  let hash = 0;
  for (let at = 0; at < text.length; at++) hash = (Math.imul(hash, 31) + text.charCodeAt(at)) | 0;
  return hash;
}
