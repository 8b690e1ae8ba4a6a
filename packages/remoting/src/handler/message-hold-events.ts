/** User event from the handler at the end of a pipeline: it takes no message for now. Who makes messages keeps them back. */
export const messagesHeld = { type: 'messagesHeld' } as const;

/** User event: it takes messages again. */
export const messagesWanted = { type: 'messagesWanted' } as const;
