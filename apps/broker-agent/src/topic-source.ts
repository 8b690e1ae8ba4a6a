import type { SourceTopics } from './topics-json.js';

/** Something that knows topics, and may learn of others. */
export interface TopicSource {
  /** For the log: the path of a file, or `static`. */
  readonly name: string;
  /** The last good table; `undefined` as long as there was none. */
  readonly current: SourceTopics | undefined;
  /** Settles after the first look, good or not. `onChange` is called whenever {@link current} differs after that. */
  start(onChange: () => void): Promise<void>;
  close(): void;
}
