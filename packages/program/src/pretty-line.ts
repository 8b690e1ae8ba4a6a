/** Turns one JSON line of the log into one for eyes: time, level, message, then the other fields as `name=value`. */
export function prettyLine(json: string): string {
  const { time, level, msg, ...fields } = JSON.parse(json) as Record<string, unknown>;
  const head = `${String(time).slice(11)} ${String(level).toUpperCase().padEnd(5)} ${printable(String(msg ?? ''))}`;
  const tail = Object.entries(fields).map(([name, value]) => ` ${name}=${showValue(value)}`);
  return `${head}${tail.join('')}\n`;
}

function showValue(value: unknown): string {
  if (typeof value === 'string' && /^[\w.:/@+-]+$/.test(value)) return value;
  return printable(JSON.stringify(value) ?? 'undefined');
}

/** What peers send must not steer a terminal. */
function printable(text: string): string {
  return text.replace(/\p{Cc}/gu, (char) => `\\x${(char.codePointAt(0) ?? 0).toString(16).padStart(2, '0')}`);
}
