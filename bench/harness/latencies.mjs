/** Buckets of 1/64 of their value: percentiles are right within 1.6 %. In units of 0.1 µs. */
const SUB = 64;
const SUB_BITS = 6;

export class Latencies {
  #counts = new Uint32Array(SUB * 28);
  #count = 0;

  /** @param {number} millis */
  record(millis) {
    const units = (millis * 10_000) >>> 0;
    this.#count++;
    if (units < SUB) {
      this.#counts[units]++;
      return;
    }
    const octave = 31 - Math.clz32(units) - SUB_BITS;
    this.#counts[(octave + 1) * SUB + (units >>> octave) - SUB]++;
  }

  get count() {
    return this.#count;
  }

  /** Microseconds; undefined when there are none. */
  percentile(share) {
    if (this.#count === 0) return undefined;
    const wanted = Math.max(1, Math.ceil(this.#count * share));
    let seen = 0;
    for (let i = 0; i < this.#counts.length; i++) {
      seen += this.#counts[i];
      if (seen < wanted) continue;
      if (i < SUB) return i / 10;
      const octave = Math.floor(i / SUB) - 1;
      return ((SUB + (i % SUB) + 0.5) * 2 ** octave) / 10;
    }
    return undefined;
  }

  summary() {
    return { p50: this.percentile(0.5), p99: this.percentile(0.99), p999: this.percentile(0.999) };
  }
}
