import { z } from 'zod';
import { adminYamlSchema } from './admin-yaml-schema.js';
import { healthYamlSchema } from './health-yaml-schema.js';
import { hooksYamlSchema } from './hook-yaml-schema.js';
import { tlsYamlSchema } from './tls-yaml-schema.js';
import { topicSourceYamlSchema } from './topic-source-yaml-schema.js';
import { duration, flag, integer, NO_KEYS, percent, perm, socketAddress, text } from './yaml-values.js';

/** The agent's own configuration. */
export const agentYamlSchema = z.strictObject(
  {
    namesrv: z
      .strictObject(
        {
          addresses: z.array(text, 'must be a list of host:port').optional(),
          file: text.nullish(),
          addressServer: text.nullish(),
          dns: flag.default(false),
          refresh: duration(1_000, 3_600_000).prefault('10s'),
          tls: tlsYamlSchema.optional(),
          credentials: z
            .strictObject({ accessKey: text, secretKeyFile: text }, 'must hold the keys accessKey and secretKeyFile')
            .optional(),
        },
        NO_KEYS,
      )
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
          zone: text.optional(),
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
          reconnectJitter: percent.prefault('10%'),
          startDelay: duration(0, 3_600_000).prefault('0s'),
        },
        NO_KEYS,
      )
      .prefault({}),
    topics: z.strictObject(
      {
        merge: z.enum(['first', 'union', 'strict'], 'must be first, union or strict').default('union'),
        debounce: duration(0, 60_000).prefault('500ms'),
        minimum: integer(0, 1_000_000).default(0),
        sources: z
          .array(topicSourceYamlSchema, 'must be a list of sources')
          .min(1, 'must name a source of topics, for instance - file:'),
      },
      'is missing; say where the topics come from, for instance topics: { sources: [ { file: /data/store/config/topics.json } ] }',
    ),
    health: healthYamlSchema.prefault({}),
    admin: adminYamlSchema.prefault({}),
    hooks: hooksYamlSchema.prefault({}),
    facade: z.strictObject({ enabled: flag.default(false), listen: socketAddress.optional() }, NO_KEYS).prefault({}),
    state: z.strictObject(
      { dir: text },
      'is missing; say where the data version is kept over restarts, for instance state: { dir: /var/lib/rmq-agent }',
    ),
  },
  'must hold the keys namesrv, identity, register, topics and state',
);

export type AgentYaml = z.output<typeof agentYamlSchema>;
