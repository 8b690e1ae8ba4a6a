import type { BatchMessage } from '../src/batch-body.js';

/** Writes a batch as a producer does. */
export function batchBody(messages: readonly BatchMessage[]): Buffer {
  return Buffer.concat(
    messages.map(({ flag, body, properties }) => {
      const head = Buffer.alloc(20);
      head.writeInt32BE(22 + body.length + properties.length, 0);
      head.writeInt32BE(flag, 12);
      head.writeInt32BE(body.length, 16);
      const propertiesLength = Buffer.alloc(2);
      propertiesLength.writeInt16BE(properties.length);
      return Buffer.concat([head, body, propertiesLength, properties]);
    }),
  );
}
