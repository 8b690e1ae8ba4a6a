import type { Clock, Logger } from '@rmqns/remoting';
import { PolledValue } from './polled-value.js';
import { sameTopicConfigTable } from './topic-config-table.js';
import type { TopicSource } from './topic-source.js';
import type { SourceTopics } from './topics-json.js';

/**
 * Asks once for the topics.
 *
 * @returns `undefined`: those of the last time
 * @throws an error with a sentence when there is no good table
 */
export type AskForTopics = (signal: AbortSignal) => Promise<SourceTopics | undefined>;

export interface PolledTopicSourceOptions {
  readonly name: string;
  readonly ask: AskForTopics;
  readonly everyMillis: number;
  /** For one question. */
  readonly timeoutMillis: number;
  readonly clock: Clock;
  readonly logger: Logger;
  /** What else ends with the source. */
  readonly onClose?: (() => void) | undefined;
}

/** A source that is asked again and again. What is no good table leaves the last good one as it was. */
export class PolledTopicSource extends PolledValue<SourceTopics> implements TopicSource {
  readonly #onClose: () => void;

  constructor(options: PolledTopicSourceOptions) {
    super({
      ...options,
      isSame: (before, now) => sameTopicConfigTable(before.table, now.table),
      lines: {
        again: 'the source gives topics again',
        none: 'the source gives no topics',
        stays: 'the source gives no topics, its last good table stays',
        fields: (source, topics) => ({ source, topics: topics?.table.size }),
      },
    });
    this.#onClose = options.onClose ?? (() => {});
  }

  override close(): void {
    super.close();
    this.#onClose();
  }
}
