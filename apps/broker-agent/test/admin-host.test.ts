import { expect } from 'chai';
import { isAllowedHost, isLoopback } from '../src/admin-host.js';

describe('the name by which the admin pages are asked for', () => {
  for (const host of [
    '127.0.0.1:9881',
    '127.0.0.1',
    '10.0.0.5:9881',
    'localhost',
    'LOCALHOST:1',
    '[::1]:9881',
    '[fe80::1]',
  ])
    it(`may be ${host}`, () => expect(isAllowedHost(host, [])).to.equal(true));

  for (const host of [
    '',
    'evil.example',
    'evil.example:9881',
    '127.0.0.1.evil.example',
    'localhost.evil.example',
    '[evil]',
    '::1',
    'localhost:x',
    'a:1:2',
  ])
    it(`may not be ${JSON.stringify(host)}`, () => expect(isAllowedHost(host, [])).to.equal(false));

  it('may be one that the configuration lists', () => {
    expect(isAllowedHost('Node-7.Example:9881', ['node-7.example'])).to.equal(true);
    expect(isAllowedHost('node-8.example', ['node-7.example'])).to.equal(false);
  });

  it('says nothing of who reaches the pages: the address that they listen at does', () => {
    expect(['127.0.0.1', '127.9.9.9', '::1', 'localhost'].map(isLoopback)).to.deep.equal([true, true, true, true]);
    expect(['0.0.0.0', '::', '10.0.0.5', 'node-7'].map(isLoopback)).to.deep.equal([false, false, false, false]);
  });
});
