/** Separates a property's name from its value. */
const NAME_SEPARATOR = '\u0001';
/** Ends a property; 4.9.7 leaves out the last one. */
const PROPERTY_SEPARATOR = '\u0002';

/**
 * One property out of a message's property text, `name U+0001 value U+0002` repeated; `undefined` when it is not there or empty
 * (reference: storage-node 5.2; upstream: `MessageDecoder.string2messageProperties`).
 */
export function messageProperty(properties: string, name: string): string | undefined {
  for (const item of properties.split(PROPERTY_SEPARATOR)) {
    const [key, value] = item.split(NAME_SEPARATOR, 2);
    if (key === name && value !== undefined && value !== '') return value;
  }
  return undefined;
}
