import { z } from 'zod';
import { type HookConfig, type HooksConfig, hookEvents } from './hook-config.js';
import { duration, httpUrl, NO_KEYS, words } from './yaml-values.js';

const ONE_HOOK = 'must be one hook, - exec: or - webhook:';
const timeout = duration(1, 600_000).prefault('10s');

const hook = z
  .strictObject(
    {
      exec: z.strictObject({ command: words, timeout }, NO_KEYS).optional(),
      webhook: z.strictObject({ url: httpUrl, timeout }, NO_KEYS).optional(),
    },
    ONE_HOOK,
  )
  .refine(({ exec, webhook }) => (exec === undefined) !== (webhook === undefined), ONE_HOOK);

const hooks = z.array(hook, 'must be a list of hooks').optional();

/** The section `hooks`. */
export const hooksYamlSchema = z.strictObject(
  Object.fromEntries(hookEvents.map((event) => [event, hooks])) as Record<(typeof hookEvents)[number], typeof hooks>,
  NO_KEYS,
);

/** The hooks as the agent has them; `undefined` where there are none. */
export function toHooksConfig(written: z.output<typeof hooksYamlSchema>): HooksConfig | undefined {
  const entries = hookEvents.flatMap((event) => {
    const listed = written[event] ?? [];
    return listed.length === 0 ? [] : [[event, listed.flatMap(toHookConfigs)] as const];
  });
  return entries.length === 0 ? undefined : Object.fromEntries(entries);
}

/** The one hook that an entry of the list holds. */
function toHookConfigs({ exec, webhook }: z.output<typeof hook>): HookConfig[] {
  const configs: HookConfig[] = [];
  if (exec !== undefined) configs.push({ kind: 'exec', command: exec.command, timeoutMillis: exec.timeout });
  if (webhook !== undefined) configs.push({ kind: 'webhook', url: webhook.url, timeoutMillis: webhook.timeout });
  return configs;
}
