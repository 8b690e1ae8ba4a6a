import type { Long } from '@rmqns/remoting/json';
import type { Steps } from '../sliced-work.js';

/** Names that are put in order in one step, which takes a millisecond. */
const STEP_NAMES = 5_000;

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
 */
export function inJavaOrder<T>(entries: readonly T[], nameOf: (entry: T) => string): readonly T[] {
  if (entries.length < 2) return entries;
  const buckets = bucketsFor(entries.length, 16);
  const places = entries.map((entry) => bucketOf(nameOf(entry), buckets));
  if (places.every((place, index) => index === 0 || (places[index - 1] ?? 0) <= place)) return entries;
  const order = [...places.keys()].sort((a, b) => (places[a] ?? 0) - (places[b] ?? 0) || a - b);
  return order.map((index) => entries[index] as T);
}

/** The values of a map in the order in which Java's ConcurrentHashMap, which doubles one name earlier, shows its names; in steps. */
export function* inConcurrentJavaOrder<T>(map: ReadonlyMap<string, T>): Steps<readonly T[]> {
  const buckets = bucketsFor(map.size + 1, 16);
  // Behind the values of all buckets before: where the next of a bucket goes.
  const places = new Int32Array(buckets + 1);
  let step = 0;
  for (const name of map.keys()) {
    const next = bucketOf(name, buckets) + 1;
    places[next] = (places[next] as number) + 1;
    if (++step % STEP_NAMES === 0) yield;
  }
  for (let bucket = 1; bucket <= buckets; bucket++) {
    places[bucket] = (places[bucket] as number) + (places[bucket - 1] as number);
  }
  const ordered = new Array<T>(map.size);
  for (const [name, value] of map) {
    const bucket = bucketOf(name, buckets);
    const place = places[bucket] as number;
    ordered[place] = value;
    places[bucket] = place + 1;
    if (++step % STEP_NAMES === 0) yield;
  }
  return ordered;
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
