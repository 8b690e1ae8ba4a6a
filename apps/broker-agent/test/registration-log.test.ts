import { RemotingError } from '@rmqns/remoting';
import { expect } from 'chai';
import { RegistrationLog } from '../src/registration-log.js';

const refused = new RemotingError('CONNECT_FAILED', 'refused');
const ok = (address: string) => ({ address, status: 'ok' as const, result: {}, durationMillis: 1.4 });
const failed = (address: string) => ({ address, status: 'failed' as const, error: refused, durationMillis: 2 });
const round = (...outcomes: (ReturnType<typeof ok> | ReturnType<typeof failed>)[]) => ({
  needed: true,
  outcomes,
  completed: outcomes,
  durationMillis: 3.6,
});

describe('RegistrationLog', () => {
  let lines: string[];
  let fields: object[];
  let log: RegistrationLog;
  beforeEach(() => {
    lines = [];
    fields = [];
    const at = (level: string) => (given: object, message: string) => {
      const namesrv = (given as { namesrv?: string }).namesrv;
      if (level === 'debug') return;
      lines.push(`${level} ${message}${namesrv === undefined ? '' : ` ${namesrv}`}`);
      fields.push(given);
    };
    log = new RegistrationLog({ debug: at('debug'), info: at('info'), warn: at('warn'), error: at('error') });
  });

  it('tells of a round when it went otherwise than the one before, and of a failing name server once', () => {
    log.round(round(ok('a'), failed('b')));
    expect(lines).to.deep.equal([
      'info registered a',
      'warn not registered, tried again until it works b',
      'info registered with 1 of 2 name servers',
    ]);
    expect(fields[1]).to.deep.equal({ namesrv: 'b', durationMillis: 2, code: 'CONNECT_FAILED', problem: 'refused' });
    expect(fields[2]).to.deep.equal({ registered: 1, of: 2, durationMillis: 4 });
    lines = [];
    log.round(round(ok('a'), failed('b')));
    log.reconnect(failed('b'));
    log.round(round(ok('a'), failed('b')));
    log.round({ ...round(), needed: false });
    expect(lines).to.deep.equal([]);
    log.reconnect(ok('b'));
    log.round(round(ok('a'), ok('b')));
    log.round(round(ok('a'), ok('b')));
    expect(lines).to.deep.equal(['info registered b', 'info registered with 2 of 2 name servers']);
    lines = [];
    log.round(round(ok('a'), failed('b')));
    expect(lines).to.deep.equal([
      'warn not registered, tried again until it works b',
      'info registered with 1 of 2 name servers',
    ]);
  });

  it('says what it waits for once, when no name server takes the registration', () => {
    log.round(round(failed('a'), failed('b')));
    expect(lines.at(-1)).to.equal('warn registered with no name server, waiting for one');
    expect(fields.at(-1)).to.deep.include({ waitingFor: ['a', 'b'] });
    lines = [];
    log.round(round(failed('a'), failed('b')));
    expect(lines).to.deep.equal([]);
    log.reconnect(ok('a'));
    expect(lines).to.deep.equal(['info registered a']);
  });

  it('warns once of name servers that do not say whether they know the topics', () => {
    const asked = (...statuses: ('ok' | 'failed')[]) => ({
      ...round(),
      needed: false,
      queryOutcomes: statuses.map((status, i) => ({ address: `ns-${i}`, status, durationMillis: 1 })),
    });
    for (const statuses of [
      ['ok', 'ok'],
      ['ok', 'failed'],
      ['ok', 'failed'],
      ['ok', 'ok'],
      ['failed', 'ok'],
    ] as const)
      log.round(asked(...statuses));
    expect(lines).to.deep.equal([
      'warn did not say whether they know the topics; the others do, nothing was sent ns-1',
      'warn did not say whether they know the topics; the others do, nothing was sent ns-0',
    ]);
  });

  it('tells of a connection made anew', () => {
    log.round(round(ok('a')));
    lines = [];
    log.reconnect(ok('a'));
    expect(lines).to.deep.equal(['info connected anew and registered a']);
  });

  it('tells of an answer after its round', () => {
    log.round(round(failed('a')));
    log.outcome(ok('a'), true);
    expect(lines.at(-1)).to.equal('info registered late a');
  });

  it('tells of each name server as its answer comes, and not again with the round', () => {
    const outcomes = [ok('a'), failed('b')] as const;
    log.outcome(outcomes[0], false);
    expect(lines).to.deep.equal(['info registered a']);
    log.reconnect(failed('a'));
    log.outcome(outcomes[1], false);
    lines = [];
    log.round(round(...outcomes));
    expect(lines).to.deep.equal(['info registered with 1 of 2 name servers']);
    log.outcome(ok('a'), false);
    expect(lines.at(-1)).to.equal('info registered a');
  });

  it('tells once of a name server that says yes and hangs up, until it no longer does', () => {
    log.round(round(ok('a'), ok('b')));
    log.flapping('b', 3);
    expect(lines.at(-1)).to.equal('warn says yes and hangs up at once each time, tried again every 5 s at most b');
    lines = [];
    for (let time = 0; time < 3; time++) {
      log.reconnect(ok('b'));
      log.reconnect(failed('b'));
      log.reconnect(ok('b'));
      log.round(round(ok('a'), ok('b')), ['b']);
    }
    expect(lines).to.deep.equal([]);
    log.round(round(ok('a'), ok('b')), []);
    log.reconnect(ok('b'));
    expect(lines).to.deep.equal(['info no longer hangs up b', 'info connected anew and registered b']);
  });

  const known = { masterAddr: 'm:1', haServerAddr: 'm:2' };
  const gone = { masterAddr: undefined, haServerAddr: undefined };

  it('tells of the first master at once, and of another one when it holds for a round', () => {
    log.round(round(ok('a')));
    lines = [];
    log.masterChanged(known, 'a');
    expect(lines).to.deep.equal(['info the master is known a']);
    expect(fields.at(-1)).to.deep.equal({ ...known, namesrv: 'a' });
    log.round(round(ok('a')));
    log.masterChanged(gone, 'a');
    log.round(round(ok('a')));
    expect(lines).to.have.length(1);
    log.round(round(ok('a')));
    expect(lines.slice(1)).to.deep.equal(['info the master is gone a']);
    expect(fields.at(-1)).to.deep.equal({ masterAddr: null, haServerAddr: null, namesrv: 'a' });
  });

  it('says nothing more of the master as long as name servers disagree', () => {
    log.round(round(ok('a'), ok('b')));
    log.masterChanged(known, 'a');
    lines = [];
    for (let time = 0; time < 5; time++) {
      log.masterChanged(gone, 'b');
      log.round(round(ok('b'), ok('a')));
      log.masterChanged(known, 'a');
      log.round(round(ok('a'), ok('b')));
    }
    log.round(round(ok('a'), ok('b')));
    expect(lines).to.deep.equal([]);
  });

  it('tells of other ordered topics', () => {
    log.orderTopics(new Map(), 'a');
    log.orderTopics(new Map([['T', 'b:4']]), 'a');
    log.orderTopics(new Map([['T', 'b:4']]), 'b');
    log.orderTopics(new Map(), 'b');
    expect(lines).to.deep.equal([
      'info the table of ordered topics changed a',
      'info the table of ordered topics changed b',
    ]);
    expect(fields[0]).to.deep.equal({ orderTopics: { T: 'b:4' }, namesrv: 'a' });
  });

  it('tells loudly of another node with the broker’s name and id, once, and when it is gone', () => {
    const conflict = { brokerName: 'b', brokerId: 0, brokerAddr: 'h:1', holderAddr: 'x:1', nameServer: 'a' };
    log.round(round(ok('a')));
    log.conflict(conflict);
    log.outcome({ address: 'a', status: 'conflict', error: refused, durationMillis: 1 }, false);
    log.conflictEnded('a');
    log.outcome(ok('a'), false);
    expect(lines.slice(2)).to.deep.equal([
      'error another node has the name and id of this broker: nothing is registered there until it is gone; give one of them another id a',
      'info no other node has the name and id of this broker any more a',
      'info registered a',
    ]);
  });

  it('warns of a farewell that failed only where the node is known', () => {
    log.round(round(ok('a'), ok('b'), failed('c')));
    lines = [];
    const gone = (address: string) => ({ address, status: 'ok' as const, durationMillis: 1 });
    log.left([gone('a'), failed('b'), failed('c')]);
    expect(lines).to.deep.equal(['info unregistered a', 'warn could not unregister b']);
  });
});
