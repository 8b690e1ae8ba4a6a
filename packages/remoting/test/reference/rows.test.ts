import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';

/** Sources, where titles stand as they were written. */
const tests = fileURLToPath(new URL('../../../test/', import.meta.url));

/** Rows of the reference (remoting 9) that no test can have here, and why. */
const notOurs: Readonly<Record<string, string>> = {
  A6: 'header types are schemas: there is no class that could not be instantiated',
  A7: 'no answer is half made: a typed handler that says nothing answers SUCCESS, a processor that gives nothing is silent',
  A18: 'a call without a callback takes no permit',
  A21: 'callbacks run in the turn that ends the call; there is no executor to set',
  A28: 'a callback gets an answer or the error that ended the call; there is no third',
  A43: 'Node has no system properties; options are arguments, checked by the tests of the options',
  W71: 'a limit that adapts is for an example to show; the package has fixed ones',
};

/** What users of other packages asked for or suffered from, as this package answers it: rows W1 to W94 of its specification. */
const wants: Readonly<Record<string, string>> = {
  W1: 'a peer that dies ends the calls that wait for it',
  W2: 'each way in which a call ends has its code',
  W3: 'an aborted call ends in the same turn',
  W4: 'a close leaves no unhandled rejection',
  W5: 'a call is settled once, in any order of events',
  W6: 'a dial that hangs keeps no call beyond its deadline',
  W7: 'a server that is gone fails calls at once, unless they wait for it',
  W8: 'late answers are counted; opaques wrap without a collision',
  W10: 'a callback that fails keeps no other from running',
  W11: 'a peer that ends its side ends the calls that wait',
  W12: 'an error says whether the request may have been seen',
  W13: 'a close ends with the last call, be it by a timeout',
  W14: 'a server that accepts and is silent',
  W15: 'each caller has a connect time of its own',
  W16: 'connect timeout and idle timeout are two',
  W17: 'deadline and signal go on to further calls',
  W18: 'a processor has the AbortSignal of its request',
  W20: 'no timer gets a time that cannot be; no test leaves a warning',
  W21: 'answers that came are read before calls time out; a flood leaves others their turn',
  W22: 'SYSTEM_BUSY is no reason to close',
  W23: 'there is a default timeout, and none of 0',
  W24: 'many clients of a dead server spread their dials',
  W25: 'a server that comes back is found again',
  W26: 'a server that can be reached is reached',
  W27: 'a frozen server is left',
  W28: 'one probe at a time; a late answer counts',
  W30: 'a probe answered with code 3 is a sign of life',
  W31: 'lost connections are made anew in the background, if asked to',
  W32: 'nothing is dialled after a close',
  W33: 'many first calls make one connection',
  W34: 'a connection that died silently is verified before its use',
  W35: 'GO_AWAY a thousand times',
  W36: 'no end at any await leaves an error to the process',
  W37: 'nothing stays half closed',
  W38: 'names are resolved again',
  W40: 'two errors of one socket',
  W41: 'dials that time out leave no socket',
  W42: 'why it does not connect can be seen',
  W43: 'a peer that never reads is bounded',
  W44: 'frames above the limit fail where they are sent',
  W45: 'half frames are bounded, in bytes and time',
  W46: 'many small pieces are not copied again and again',
  W47: 'no byte of another call',
  W48: 'lengths around each limit of a field',
  W50: 'ten thousand calls that nobody awaits',
  W51: 'the default server bounds what waits by itself',
  W52: 'writability is exact after each write',
  W53: 'slow handlers are bounded, and calls leave nothing in the heap',
  W54: 'a client whose processors are slow is bounded',
  W55: 'letters of more than one byte, cut anywhere',
  W56: 'bodies stay bytes, and huge limits are warned of',
  W57: 'frames in any pieces',
  W58: 'a slow reader is not idle',
  W60: 'after a close nothing is served',
  W61: 'a graceful close ends in time and reports',
  W62: 'draining is the default of a close',
  W63: 'the process is left alone',
  W64: 'a server without requests closes at once',
  W65: 'a process ends by itself after a close',
  W66: 'a process does not end while a call waits',
  W67: 'a close ends a dial',
  W68: 'what is too much is answered, each by itself',
  W70: 'caps before the decoding',
  W72: 'a queue tells when it falls behind',
  W73: 'the stack of a failure names the caller',
  W74: 'a timeout says where the time went',
  W75: 'errors of two copies of the package',
  W76: 'no secrets in errors',
  W77: 'a failed dial is seen by its caller alone',
  W78: 'a code that nobody serves',
  W80: 'each callback runs in the async context of its call',
  W81: 'tracing channels cost nothing unsubscribed',
  W82: 'what is going on can be looked at',
  W83: 'a signal for each asynchronous function',
  W84: 'hundreds of commands cost the compiler little',
  W85: 'asynchronous handlers keep the order',
  W86: 'batches last one turn',
  W87: 'handlers that come and go amid events; a removed context passes on, as in Netty',
  W88: 'no exception is lost',
  W90: 'certificates that rotate',
  W91: 'one suite for each transport',
  W92: 'a constructor does no I/O',
  W93: 'closing on a timeout is an option; lookups are coalesced',
  W94: 'a request may be sent to several servers',
};

/** The rows named in parentheses in the titles of all tests. */
function taggedRows(): Set<string> {
  const rows = new Set<string>();
  for (const name of readdirSync(tests, { recursive: true, encoding: 'utf8' })) {
    if (!name.endsWith('.ts')) continue;
    const text = readFileSync(join(tests, name), 'utf8');
    for (const [, list = ''] of text.matchAll(/\(([ABW]\d+(?:, [ABW]\d+)*)\)/g))
      for (const row of list.split(', ')) rows.add(row);
  }
  return rows;
}

describe('the rows of the reference, and of what users want', () => {
  it('each have a test that bears their number, or a reason why not', () => {
    const rows = [
      ...Array.from({ length: 45 }, (_, index) => `A${index + 1}`),
      ...Array.from({ length: 23 }, (_, index) => `B${index + 1}`),
      ...Object.keys(wants),
      'W71',
    ];
    const tagged = taggedRows();
    expect(rows.filter((row) => !tagged.has(row) && notOurs[row] === undefined)).to.deep.equal([]);
    expect([...tagged, ...Object.keys(notOurs)].filter((row) => !rows.includes(row))).to.deep.equal([]);
  });
});
