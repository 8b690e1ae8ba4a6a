/**
 * Which of some names Java's HashMap or ConcurrentHashMap shows first, where an answer of Apache's depends on that (reference:
 * nameserver 8.6). The names come in the order in which they were put, which decides within a bucket.
 *
 * @param capacity the table's initial size, a power of two; it doubles as the names fill three quarters of it
 */
export function firstInJavaOrder<T>(
  entries: Iterable<T>,
  nameOf: (entry: T) => string,
  { size, capacity }: { readonly size: number; readonly capacity: number },
): T | undefined {
  let buckets = capacity;
  while (size > buckets * 0.75) buckets *= 2;
  let first: T | undefined;
  let firstBucket = buckets;
  for (const entry of entries) {
    const hash = javaHash(nameOf(entry));
    const bucket = (hash ^ (hash >>> 16)) & (buckets - 1);
    if (bucket < firstBucket) {
      first = entry;
      firstBucket = bucket;
    }
  }
  return first;
}

/** `String.hashCode`. */
function javaHash(text: string): number {
  let hash = 0;
  for (let at = 0; at < text.length; at++) hash = (Math.imul(hash, 31) + text.charCodeAt(at)) | 0;
  return hash;
}
