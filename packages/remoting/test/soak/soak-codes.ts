/** What the soaked server answers. */
export const askedFor = { echo: 1, much: 2, state: 3 } as const;
