import { RemotingError } from '@rmqns/remoting';
import { expect } from 'chai';
import { describeStartFailure } from '../src/start-failure.js';

const failure = (fields: object) => Object.assign(new Error('low-level words'), fields);

describe('describeStartFailure', () => {
  const bind = (code: string) =>
    describeStartFailure(
      new RemotingError('BIND_FAILED', 'x', { cause: failure({ code, syscall: 'listen' }) }),
      '0.0.0.0',
      80,
    );
  for (const [code, words] of [
    ['EADDRINUSE', 'another process listens there already; '],
    ['EACCES', 'this user may not use that port; choose one above 1023 with --port'],
    ['EADDRNOTAVAIL', 'this machine has no such address; choose one of its own with --bind'],
    ['ENOTFOUND', 'the name has no address; choose an address of this machine with --bind'],
    ['EOTHER', 'x'],
  ] as const)
    it(`explains ${code}`, () => {
      expect(bind(code))
        .to.match(/^mqnamesrv: cannot listen on 0\.0\.0\.0:80: /)
        .and.include(words);
    });

  it('writes an IPv6 address in brackets', () => {
    const error = failure({ code: 'EADDRINUSE', syscall: 'listen' });
    expect(describeStartFailure(error, '::1', 1)).to.match(/^mqnamesrv: cannot listen on \[::1\]:1: /);
  });

  it('leaves defects to the caller', () => {
    expect(describeStartFailure(new TypeError('x'), '::', 1)).to.equal(undefined);
  });
});
