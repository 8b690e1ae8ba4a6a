import { z } from 'zod';
import { topicsYamlSchema } from './topic-yaml-schema.js';
import { duration, flag, httpUrl, NO_KEYS, socketAddress, text, words } from './yaml-values.js';

const HOUR_MILLIS = 3_600_000;
const ONE_SOURCE = 'must be one source of topics, - file:, - broker:, - http:, - exec: or - static:';

const schedule = (every: string) => ({
  every: duration(1_000, 24 * HOUR_MILLIS).prefault(every),
  timeout: duration(1, HOUR_MILLIS).prefault('5s'),
});

/** An entry of `topics.sources`. */
export const topicSourceYamlSchema = z
  .strictObject(
    {
      file: text.optional(),
      broker: socketAddress.optional(),
      http: z.strictObject({ url: httpUrl, etag: flag.default(true), ...schedule('15s') }, NO_KEYS).optional(),
      exec: z.strictObject({ command: words, ...schedule('60s') }, NO_KEYS).optional(),
      static: topicsYamlSchema.optional(),
    },
    ONE_SOURCE,
  )
  .refine((written) => Object.values(written).filter((one) => one !== undefined).length === 1, ONE_SOURCE);
