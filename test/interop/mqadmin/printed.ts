import type { AdminCommand } from './commands.js';

/** What of a printed text is of one of two sides: the name server that was asked, and the brokers that registered with it. */
export interface Side {
  readonly nameServer: string;
  /** Broker addresses by name. */
  readonly brokers: ReadonlyMap<string, string>;
}

/** A text as it is compared: with addresses, places of files, times and ids masked. */
export function comparableText(text: string, side: Side, { figures, order }: AdminCommand): string {
  const masked = withoutAddresses(text, side)
    .replace(/^((?:rocketmqHome|kvConfigPath|configStorePath)\s*=\s*).*$/gm, '$1<place>')
    .replace(/\/\S*\/home-\d+/g, '<home>')
    .replace(/\d{4}-\d\d-\d\d[ T]\d\d:\d\d:\d\d(?:[.,:]\d+)?/g, '<time>')
    .replace(/\b[0-9A-F]{24,}\b/g, '<id>')
    .replace(/@[0-9a-f]{6,}\b/g, '@<hash>')
    .replace(/(?<![\d.])\d{13}(?![\d.])/g, '<time>')
    .replace(/[ \t]+$/gm, '');
  const lines = (figures === 'masked' ? withoutFigures(masked) : masked).split('\n');
  return (order === 'any' ? lines.sort() : lines).join('\n');
}

function withoutAddresses(text: string, { nameServer, brokers }: Side): string {
  let masked = text.replaceAll(nameServer, '<name server>');
  masked = masked.replace(new RegExp(`^(listenPort\\s*=\\s*)${portOf(nameServer)}\\b`, 'gm'), '$1<port>');
  for (const [name, address] of brokers) {
    masked = masked.replaceAll(address, `<${name}>`);
    // Its ports for replication and for those in a hurry.
    for (const port of [0, 1, -2]) {
      // The digits of a port stand in other numbers, too.
      const alone = new RegExp(`(?<!\\d)${portOf(address) + port}(?!\\d)`, 'g');
      masked = masked.replace(alone, `<port ${port} of ${name}>`);
    }
  }
  // Some commands ask either broker, by chance.
  return masked.replace(/BROKER: <broker-[ab]>/g, 'BROKER: <either>').replace(/(<[^>]*>)[ \t]+/g, '$1 ');
}

/** Columns are as wide as their figures. Of a rate a broker shows as many averages as it has run long enough for. */
function withoutFigures(text: string): string {
  return text
    .replace(/[-+]?\d[\d.,]*(?:E-?\d+)?%?/g, '#')
    .replace(/[ \t]+/g, ' ')
    .replace(/(Tps ?: #)(?: #)+/g, '$1');
}

function portOf(address: string): number {
  return Number(address.split(':')[1]);
}
