import type { TopicConfig } from '@rmqns/protocol';
import { z } from 'zod';
import { flag, integer, perm } from './yaml-values.js';

/** As brokers check names (upstream: `TopicValidator`). */
const TOPIC_NAME = /^[%|a-zA-Z0-9_-]{1,127}$/;

const staticTopic = z
  .strictObject(
    {
      topic: z.string('must be a text').regex(TOPIC_NAME, 'is no topic name: up to 127 letters, digits and % | _ -'),
      read: integer(0, 65_536).default(8),
      write: integer(0, 65_536).default(8),
      perm: perm.prefault('rw'),
      order: flag.default(false),
    },
    'must be a topic, for instance { topic: Orders }',
  )
  .transform(
    (written): TopicConfig => ({
      topicName: written.topic,
      readQueueNums: written.read,
      writeQueueNums: written.write,
      perm: written.perm,
      topicFilterType: 'SINGLE_TAG',
      topicSysFlag: 0,
      order: written.order,
    }),
  );

/** A list of topics, each `{ topic, read, write, perm, order }`; all but the name have defaults. */
export const topicsYamlSchema = z.array(staticTopic, 'must be a list of topics');
