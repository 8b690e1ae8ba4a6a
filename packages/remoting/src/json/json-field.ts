import type { JsonObject, JsonValue } from './json-value.js';

/**
 * A member of an object, found as fastjson finds the property of a bean: by its exact name, else by a name that differs only in case or in
 * `_` and `-` (`topic_name`, `TopicName`); of several such the last (reference: nameserver 2.5.1). `undefined` when there is none,
 * which is not the same as an explicit null.
 */
export function jsonField(object: JsonObject, name: string): JsonValue | undefined {
  if (Object.hasOwn(object, name)) return object[name];
  let value: JsonValue | undefined;
  for (const key of Object.keys(object)) if (isSameName(key, name)) value = object[key];
  return value;
}

/**
 * The members of an object that are the entries of a map, by their exact names; of one that was read by its shape they may be very many.
 */
export function jsonEntries(object: JsonObject): ReadonlyMap<string, JsonValue> {
  return object instanceof Map ? object : new Map(Object.entries(object));
}

/** Compares without allocating: a missing optional property is looked for in every topic of a registration. */
export function isSameName(left: string, right: string): boolean {
  let i = 0;
  let j = 0;
  for (;;) {
    while (isSkipped(left.charCodeAt(i))) i++;
    while (isSkipped(right.charCodeAt(j))) j++;
    if (i >= left.length || j >= right.length) return i >= left.length && j >= right.length;
    if (lowerCase(left.charCodeAt(i++)) !== lowerCase(right.charCodeAt(j++))) return false;
  }
}

function isSkipped(char: number): boolean {
  return char === 0x5f || char === 0x2d;
}

/** As fastjson, ASCII letters only. */
function lowerCase(char: number): number {
  return char >= 0x41 && char <= 0x5a ? char | 0x20 : char;
}
