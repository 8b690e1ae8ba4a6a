/** The text of a body; malformed bytes become U+FFFD, as upstream's `new String(bytes, UTF_8)` has it. */
export function decodeUtf8(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('utf8');
}
