import type { SourceTopics } from './topics-json.js';

/** Something that knows topics, and may learn of others. The last good table stays whatever happens to it. */
export interface TopicSource {
  /** For log, status and metrics, another for each source: the path of a file, a URL, or `static`. */
  readonly name: string;
  /** The last good table; `undefined` as long as there was none. */
  readonly current: SourceTopics | undefined;
  /** Why the last look was not good; `undefined` when it was. */
  readonly problem?: string | undefined;
  /** How many looks were not good. */
  readonly errors?: number | undefined;
  /** When the last good look was, by the monotonic clock; `undefined` before it, and for what needs no look. */
  readonly lastGoodMillis?: number | undefined;
  /** Settles after the first look, good or not. `onChange` is called whenever {@link current} differs after that. */
  start(onChange: () => void): Promise<void>;
  close(): void;
}
