import { z } from 'zod';
import { hostProblem } from './host-problem.js';
import { integer, NO_KEYS, text } from './yaml-values.js';

/** The section `admin`. */
export const adminYamlSchema = z.strictObject(
  {
    bind: text
      .superRefine((host, context) => {
        const message = hostProblem(host);
        if (message !== undefined) context.addIssue({ code: 'custom', message });
      })
      .default('127.0.0.1'),
    port: integer(0, 65_535).default(9_881),
    hosts: z.array(text, 'must be a list of names').default([]),
  },
  NO_KEYS,
);
