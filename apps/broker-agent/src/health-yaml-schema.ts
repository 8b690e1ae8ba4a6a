import { z } from 'zod';
import { duration, httpUrl, integer, NO_KEYS, socketAddress, text, words } from './yaml-values.js';

const HOUR_MILLIS = 3_600_000;
const ONE_PROBE = 'must be one probe, - tcp:, - http: or - exec:';

/** When a probe looks and how many looks turn it. */
const schedule = (every: string, timeout: string) => ({
  every: duration(100, HOUR_MILLIS).prefault(every),
  timeout: duration(1, HOUR_MILLIS).prefault(timeout),
  rise: integer(1, 1_000).default(2),
  fall: integer(1, 1_000).default(3),
});

const probe = z
  .strictObject(
    {
      tcp: z.strictObject({ address: socketAddress, ...schedule('5s', '1s') }, NO_KEYS).optional(),
      http: z
        .strictObject(
          {
            url: httpUrl,
            expect: z
              .array(integer(100, 599), 'must be a list of statuses')
              .min(1, 'must name a status')
              .default([200]),
            body: text.optional(),
            ...schedule('5s', '1s'),
          },
          NO_KEYS,
        )
        .optional(),
      exec: z.strictObject({ command: words, ...schedule('30s', '5s') }, NO_KEYS).optional(),
    },
    ONE_PROBE,
  )
  .refine(({ tcp, http, exec }) => [tcp, http, exec].filter((one) => one !== undefined).length === 1, ONE_PROBE);

/** The section `health`. */
export const healthYamlSchema = z.strictObject(
  {
    mode: z.enum(['all', 'any'], 'must be all or any').default('all'),
    initial: z.enum(['failing', 'passing'], 'must be failing or passing').default('failing'),
    onFailing: z
      .enum(['unregister', 'read-only', 'silent', 'keep'], 'must be unregister, read-only, silent or keep')
      .default('unregister'),
    probes: z.array(probe, 'must be a list of probes').default([]),
  },
  NO_KEYS,
);
