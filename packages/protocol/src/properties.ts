import { quoteForPeople } from '@rmqns/remoting/json';

/**
 * Reading Java's `.properties` grammar, as `java.util.Properties.load` does, but keeping where each entry stands.
 *
 * Comments start with `#` or `!`; a key ends at the first unescaped `=`, `:` or blank; a line that ends in an odd number of
 * backslashes goes on in the next one, whose leading blanks are dropped; `\t \n \r \f \uXXXX` are escapes and any other escaped
 * character is itself. Lines end in LF, CR or CRLF.
 */

/** One `key=value` of a file. Both are unescaped; the value keeps its trailing blanks, as in Java. */
export interface PropertiesEntry {
  readonly key: string;
  readonly value: string;
  /** Where the key starts; the first line and the first column are 1. */
  readonly line: number;
  readonly column: number;
  /** Where the value starts, or would if there were one. */
  readonly valueLine: number;
  readonly valueColumn: number;
  /** How many lines it takes; more than 1 when it goes on after a backslash. Blank lines and comments that it passed over count too. */
  readonly lineCount: number;
}

/** A place that is no `.properties` text; its entry is left out. */
export interface PropertiesProblem {
  readonly line: number;
  readonly column: number;
  /** A sentence for people. */
  readonly problem: string;
}

export interface ParsedProperties {
  /** All entries in the order of the file, repeated keys included: the last of a key is the one that counts. */
  readonly entries: readonly PropertiesEntry[];
  /** Where Java would throw `IllegalArgumentException`; empty for a good file. */
  readonly problems: readonly PropertiesProblem[];
}

/** The file's text: UTF-8 where the bytes are valid UTF-8 (a byte order mark is dropped), otherwise ISO-8859-1 as Java reads them. */
export function decodePropertiesBytes(bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('latin1');
  }
}

/** Reads a whole file. Never throws: what Java would refuse is in `problems`, with its line. */
export function parseProperties(text: string): ParsedProperties {
  const entries: PropertiesEntry[] = [];
  const problems: PropertiesProblem[] = [];
  for (const logical of logicalLines(text)) {
    const { keyEnd, valueStart } = splitLine(logical.text);
    const key = unescapeText(logical, 0, keyEnd);
    const value = unescapeText(logical, valueStart, logical.text.length);
    if (key.problem !== undefined) problems.push(key.problem);
    else if (value.problem !== undefined) problems.push(value.problem);
    else {
      const { line, column } = placeOf(logical, 0);
      const at = placeOf(logical, valueStart);
      entries.push({
        key: key.text,
        value: value.text,
        line,
        column,
        valueLine: at.line,
        valueColumn: at.column,
        lineCount: logical.lineCount,
      });
    }
  }
  return { entries, problems };
}

/** Lines joined at their continuations. */
interface LogicalLine {
  readonly text: string;
  readonly lineCount: number;
  /** At which offset of `text` each line of the file begins, and where in the file that is. */
  readonly pieces: readonly { readonly offset: number; readonly line: number; readonly column: number }[];
}

function* logicalLines(text: string): Generator<LogicalLine> {
  let content = '';
  let pieces: { offset: number; line: number; column: number }[] = [];
  const finish = (last: number): LogicalLine => ({
    text: content,
    lineCount: last + 1 - (pieces[0]?.line ?? last),
    pieces,
  });
  for (const [index, raw] of text.split(/\r\n|\r|\n/).entries()) {
    const line = raw.replace(/^[ \t\f]+/, '');
    // Also after a line of nothing but a backslash: Java looks for comments and empty lines as long as it holds no text.
    if (content === '' && (line === '' || line.startsWith('#') || line.startsWith('!'))) continue;
    if (content === '') pieces = [];
    pieces.push({ offset: content.length, line: index + 1, column: raw.length - line.length + 1 });
    const continued = endsInEscape(line);
    content += continued ? line.slice(0, -1) : line;
    if (continued) continue;
    yield finish(index + 1);
    content = '';
  }
  // The file ends within a continuation. Java gives an empty key where that continuation holds nothing, for some line ends; that
  // entry means nothing, so there is none here.
  if (content !== '') yield finish(pieces.at(-1)?.line ?? 1);
}

/** Whether an odd number of backslashes ends the line. */
function endsInEscape(line: string): boolean {
  let run = 0;
  while (run < line.length && line[line.length - 1 - run] === '\\') run += 1;
  return run % 2 === 1;
}

/** Where the key ends and the value starts: blanks, at most one `=` or `:`, blanks. */
function splitLine(text: string): { keyEnd: number; valueStart: number } {
  let keyEnd = 0;
  while (keyEnd < text.length && !/[=: \t\f]/.test(text[keyEnd] ?? '')) keyEnd += text[keyEnd] === '\\' ? 2 : 1;
  let valueStart = keyEnd;
  let separated = false;
  while (valueStart < text.length) {
    const char = text[valueStart] ?? '';
    if (char === '=' || char === ':') {
      if (separated) break;
      separated = true;
    } else if (!/[ \t\f]/.test(char)) break;
    valueStart += 1;
  }
  return { keyEnd, valueStart };
}

const escapes: Readonly<Record<string, string>> = { t: '\t', n: '\n', r: '\r', f: '\f' };

type Unescaped =
  | { readonly text: string; readonly problem?: undefined }
  | { readonly text?: undefined; readonly problem: PropertiesProblem };

function unescapeText(logical: LogicalLine, from: number, to: number): Unescaped {
  let text = '';
  let at = from;
  while (at < to) {
    const backslash = logical.text.indexOf('\\', at);
    if (backslash < 0 || backslash >= to) return { text: text + logical.text.slice(at, to) };
    text += logical.text.slice(at, backslash);
    const char = logical.text[backslash + 1] ?? '';
    at = backslash + 2;
    if (char !== 'u') {
      text += escapes[char] ?? char;
      continue;
    }
    const hex = logical.text.slice(at, Math.min(at + 4, to));
    if (!/^[0-9a-fA-F]{4}$/.test(hex)) {
      const problem = `malformed escape \\u${quoteForPeople(hex).slice(1, -1)}: four hexadecimal digits must follow \\u (write \\\\u for a backslash and a u)`;
      return { problem: { ...placeOf(logical, backslash), problem } };
    }
    text += String.fromCharCode(Number.parseInt(hex, 16));
    at += 4;
  }
  return { text };
}

function placeOf({ pieces }: LogicalLine, offset: number): { line: number; column: number } {
  const piece = pieces.findLast((each) => each.offset <= offset) ?? { offset, line: 1, column: 1 };
  return { line: piece.line, column: piece.column + offset - piece.offset };
}
