import { PermName, type TopicConfig } from '@rmqns/protocol';
import { z } from 'zod';

const UNIT_MILLIS: Readonly<Record<string, number>> = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000 };
const PERM_BITS: Readonly<Record<string, number>> = { r: PermName.READ, w: PermName.WRITE, x: PermName.INHERIT };
/** As brokers check names (upstream: `TopicValidator`). */
const TOPIC_NAME = /^[%|a-zA-Z0-9_-]{1,127}$/;

/** `500ms`, `30s`, `1.5m`, `2h`, as milliseconds. */
const duration = (minimumMillis: number, maximumMillis: number) =>
  z.string('is no duration; write a number and ms, s, m or h, for instance 30s').transform((text, context) => {
    const [, number, unit = ''] = /^(\d+(?:\.\d+)?)(ms|s|m|h)$/.exec(text) ?? [];
    const millis = Math.round(Number(number) * (UNIT_MILLIS[unit] ?? Number.NaN));
    if (Number.isNaN(millis)) {
      return fail(context, `"${text}" is no duration; write a number and ms, s, m or h, for instance 30s`);
    }
    if (millis >= minimumMillis && millis <= maximumMillis) return millis;
    return fail(context, `"${text}" is not between ${minimumMillis} ms and ${maximumMillis} ms`);
  });

/** Letters of r, w and x, as bits of PermName. */
const perm = z.string('must be letters of r, w and x, for instance rw').transform((text, context) => {
  let bits = 0;
  for (const letter of text) bits |= PERM_BITS[letter] ?? 16;
  return bits > 0 && bits < 16 ? bits : fail(context, `"${text}" is no permission; write letters of r, w and x`);
});

const text = z.string('must be a text').regex(/\S/, 'is blank');
const flag = z.boolean('must be true or false');
const integer = (minimum: number, maximum: number) => {
  const range = `must be a whole number from ${minimum} to ${maximum}`;
  return z.int(range).min(minimum, range).max(maximum, range);
};

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

const ONE_SOURCE = 'must be one source of topics, - file: or - static:';

const source = z
  .strictObject(
    { file: text.optional(), static: z.array(staticTopic, 'must be a list of topics').optional() },
    ONE_SOURCE,
  )
  .refine((written) => (written.file === undefined) !== (written.static === undefined), ONE_SOURCE);

const NO_KEYS = 'must hold keys; leave it out for the defaults';

/** The agent's own configuration, as far as it is built; the rest of the specification is refused before. */
export const agentYamlSchema = z.strictObject(
  {
    namesrv: z
      .strictObject({ addresses: z.array(text, 'must be a list of host:port').optional() }, NO_KEYS)
      .prefault({}),
    identity: z
      .strictObject(
        {
          cluster: text.default('DefaultCluster'),
          brokerName: text.optional(),
          roleOf: text.optional(),
          brokerId: integer(0, 2147483647).default(0),
          address: text.default('auto'),
          port: integer(1, 65_535).default(10_911),
          haAddress: text.default('auto'),
          permission: perm.prefault('rw'),
          heartbeatTimeout: duration(1_000, 3_600_000).optional(),
          actingMaster: flag.default(false),
          filterServers: z.array(text, 'must be a list of host:port').default([]),
        },
        NO_KEYS,
      )
      .prefault({}),
    register: z
      .strictObject(
        {
          interval: duration(10_000, 60_000).prefault('30s'),
          timeout: duration(1, 60_000).prefault('6s'),
          compressed: flag.default(false),
          force: flag.default(true),
          splitSize: integer(1, 1_000_000).optional(),
          changesOnly: flag.default(false),
          onConflict: z.enum(['standBack', 'overwrite'], 'must be standBack or overwrite').default('standBack'),
          includeBrokerTopics: flag.default(false),
          unregisterOnStop: flag.default(true),
          startDelay: duration(0, 3_600_000).prefault('0s'),
        },
        NO_KEYS,
      )
      .prefault({}),
    topics: z.strictObject(
      {
        merge: z.literal('union', 'must be union; first and strict are not supported yet').default('union'),
        debounce: duration(0, 60_000).prefault('500ms'),
        minimum: integer(0, 1_000_000).default(0),
        sources: z
          .array(source, 'must be a list of sources')
          .min(1, 'must name a source of topics, - file: or - static:'),
      },
      'is missing; say where the topics come from, for instance topics: { sources: [ { file: /data/store/config/topics.json } ] }',
    ),
    state: z.strictObject(
      { dir: text },
      'is missing; say where the data version is kept over restarts, for instance state: { dir: /var/lib/rmq-agent }',
    ),
  },
  'must hold the keys namesrv, identity, register, topics and state',
);

export type AgentYaml = z.output<typeof agentYamlSchema>;

function fail(context: z.RefinementCtx, message: string): never {
  context.addIssue({ code: 'custom', message });
  return z.NEVER;
}
