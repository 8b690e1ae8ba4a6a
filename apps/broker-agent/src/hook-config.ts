/** What hooks can be told of, as the configuration names it. */
export const hookEvents = [
  'onRegistered',
  'onPartial',
  'onFailed',
  'onTopicsChanged',
  'onHealthChanged',
  'onMasterChanged',
  'onOrderTopicsChanged',
  'onConflict',
] as const;

export type HookEvent = (typeof hookEvents)[number];

/** A program that is started, or an address that is posted to. */
export type HookConfig = { readonly timeoutMillis: number } & (
  | { readonly kind: 'exec'; readonly command: readonly string[] }
  | { readonly kind: 'webhook'; readonly url: string }
);

export type HooksConfig = Readonly<Partial<Record<HookEvent, readonly HookConfig[]>>>;
