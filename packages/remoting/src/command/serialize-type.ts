/** How a header is written; the top byte of a frame's header word (reference: remoting 1.1). */
export const SerializeType = { JSON: 0, ROCKETMQ: 1 } as const;

export type SerializeType = (typeof SerializeType)[keyof typeof SerializeType];
