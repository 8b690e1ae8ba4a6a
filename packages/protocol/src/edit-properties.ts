import { parseProperties } from './properties.js';

/**
 * Gives keys of a `.properties` text new values, and touches nothing else: comments, order and the lines of other keys stay as they are.
 * A key that is there several times gets its value where it counts, at its last place; one that is not there is added at the end. What is
 * written is ASCII, so that it reads the same in UTF-8 and ISO-8859-1.
 */
export function editProperties(text: string, values: ReadonlyMap<string, string>): string {
  const lines = splitLines(text);
  const places = new Map(
    parseProperties(text).entries.map(({ key, line, lineCount }) => [key, { at: line - 1, lineCount }]),
  );
  // As the last line ends: after CR alone, LF would make CRLF of the two.
  const newline = lines.findLast(({ end }) => end !== '')?.end ?? '\n';
  const added: string[] = [];
  for (const [key, value] of values) {
    const entry = `${escaped(key, 'key')}=${escaped(value, 'value')}`;
    const place = places.get(key);
    if (place === undefined) added.push(entry);
    else replaceLines(lines, place, entry);
  }
  const kept = lines.map(({ content, end }) => `${content}${end}`).join('');
  if (added.length === 0) return kept;
  const separator = kept === '' || /[\r\n]$/.test(kept) ? '' : newline;
  return `${kept}${separator}${isOpen(kept + separator) ? newline : ''}${added.join(newline)}${newline}`;
}

/** Whether what follows would be taken for a part of the last entry, whose line ends in a backslash. */
function isOpen(text: string): boolean {
  return parseProperties(`${text}next=1`).entries.at(-1)?.key !== 'next';
}

interface Line {
  content: string;
  end: string;
}

function splitLines(text: string): Line[] {
  return [...text.matchAll(/([^\r\n]*)(\r\n|\r|\n|$)/g)]
    .map(([, content = '', end = '']) => ({ content, end }))
    .filter(({ content, end }) => content !== '' || end !== '');
}

/** The entry in its first line; the lines that it went on in are emptied, so that those behind keep their places while others are edited. */
function replaceLines(lines: Line[], { at, lineCount }: { at: number; lineCount: number }, entry: string): void {
  // An entry left open at the end of the text counts a line that is not there.
  const last = lines[Math.min(at + lineCount, lines.length) - 1];
  for (const line of lines.slice(at, at + lineCount)) {
    if (line === last) break;
    line.content = '';
    line.end = '';
  }
  if (last !== undefined) last.content = entry;
}

const SHORT: Readonly<Record<string, string>> = { '\t': '\\t', '\n': '\\n', '\f': '\\f', '\r': '\\r', '\\': '\\\\' };

/** As `Properties.store` writes: a key's separators and a leading blank or comment sign are escaped, what is no plain ASCII is `\uXXXX`. */
function escaped(text: string, part: 'key' | 'value'): string {
  let result = '';
  for (let at = 0; at < text.length; at++) {
    const char = text.charAt(at);
    const special = part === 'key' ? ' =:#!' : at === 0 ? ' #!=:' : '';
    if (SHORT[char] !== undefined) result += SHORT[char];
    else if (special.includes(char)) result += `\\${char}`;
    else if (char < ' ' || char > '~') result += `\\u${char.charCodeAt(0).toString(16).toUpperCase().padStart(4, '0')}`;
    else result += char;
  }
  return result;
}
