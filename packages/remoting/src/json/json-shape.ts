import { isSameName } from './json-field.js';

/**
 * What is wanted of a value in JSON text. What is not wanted is checked and counted, but not made; of an array or object in which nothing is
 * wanted there is an empty one, or an array of one null.
 */
export interface JsonShape {
  /** Of an object, the properties of a bean: to be read with `jsonField`, which finds what it would find in the whole. */
  readonly properties?: ReadonlyMap<string, JsonShape>;
  /** Of an object, each member: to be read with `jsonEntries`. */
  readonly entries?: JsonShape;
  /** A text with more of these entries is refused. Default: no limit. */
  readonly maxEntries?: number;
  /** Of an array, each item. */
  readonly items?: JsonShape;
  /** Of an array or object everything; a text with more values in it than that is refused. */
  readonly wholeUpTo?: number;
}

/** A longer name is no property's, however many `_` it holds. */
const MAX_NAME = 1000;

/**
 * Under which name a member is kept that may be a property of a bean, and what is wanted of it; `undefined` for one that is no property. All
 * that are not written exactly as the property have one name in common, so that an object holds no more than two for each, and the last in the
 * text counts.
 */
export function propertyOf(
  properties: ReadonlyMap<string, JsonShape>,
  name: string,
): readonly [name: string, shape: JsonShape] | undefined {
  const exact = properties.get(name);
  if (exact !== undefined) return [name, exact];
  if (name.length > MAX_NAME) return undefined;
  for (const [property, shape] of properties) if (isSameName(property, name)) return [`-${property}`, shape];
  return undefined;
}
