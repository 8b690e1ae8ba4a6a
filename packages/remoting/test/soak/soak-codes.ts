/** What the soaked server answers: the same body, 64 KiB, its state, nothing ever, and which process it is. */
export const askedFor = { echo: 1, much: 2, state: 3, never: 4, pid: 5 } as const;

/** What its parent tells it. */
export type Told = 'close' | 'reset';

/** What it tells its parent: that it listens, and that its close is done. */
export type Tells = { readonly address: string } | { readonly closed: { readonly cut: number } };
