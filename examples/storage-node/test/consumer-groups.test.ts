import { CommandError } from '@rmqns/remoting';
import { expect } from 'chai';
import { ConsumerGroups } from '../src/consumer-groups.js';

describe('the groups of consumers', () => {
  let groups: ConsumerGroups<string>;

  beforeEach(() => {
    groups = new ConsumerGroups(4);
  });

  it('change with the first heartbeat of a client, not with the next', () => {
    expect(groups.heartbeat('a', ['g', 'h'], 'connection 1', 0)).to.deep.equal(['g', 'h']);
    expect(groups.heartbeat('a', ['g', 'h'], 'connection 1', 30_000)).to.deep.equal([]);
    expect(groups.heartbeat('b', ['g'], 'connection 2', 30_000)).to.deep.equal(['g']);
    expect(groups.clientIds('g')).to.deep.equal(['a', 'b']);
    expect(groups.clientIds('h')).to.deep.equal(['a']);
    expect(groups.clientIds('x')).to.deep.equal([]);
    expect([...groups.connections('g')]).to.deep.equal(['connection 1', 'connection 2']);
  });

  it('lose a client that unregisters, in that group only', () => {
    groups.heartbeat('a', ['g', 'h'], 'connection 1', 0);
    expect(groups.unregister('a', 'g')).to.deep.equal(['g']);
    expect(groups.unregister('a', 'g')).to.deep.equal([]);
    expect([groups.clientIds('g'), groups.clientIds('h')]).to.deep.equal([[], ['a']]);
  });

  it('lose the clients that were last heard over a connection that ends', () => {
    groups.heartbeat('a', ['g'], 'old connection', 0);
    groups.heartbeat('b', ['g'], 'old connection', 0);
    groups.heartbeat('a', ['g'], 'new connection', 1);
    expect(groups.disconnect('old connection')).to.deep.equal(['g']);
    expect(groups.clientIds('g')).to.deep.equal(['a']);
    expect(groups.disconnect('old connection')).to.deep.equal([]);
  });

  it('lose a client not heard of for 120 s', () => {
    groups.heartbeat('silent', ['g'], 'connection 1', 0);
    groups.heartbeat('alive', ['g'], 'connection 1', 0);
    groups.heartbeat('alive', ['g'], 'connection 1', 90_000);
    expect(groups.expire(119_999)).to.deep.equal([]);
    expect(groups.expire(120_000)).to.deep.equal(['g']);
    expect(groups.clientIds('g')).to.deep.equal(['alive']);
  });

  it('take no more members than their limit, and new ones again after others left', () => {
    groups.heartbeat('a', ['1', '2', '3', '4'], 'connection 1', 0);
    expect(groups.heartbeat('b', ['1'], 'connection 2', 0)).to.deep.equal([]);
    expect(groups.heartbeat('a', ['1'], 'connection 1', 0)).to.deep.equal([]);
    groups.unregister('a', '4');
    expect(groups.heartbeat('b', ['1'], 'connection 2', 0)).to.deep.equal(['1']);
  });

  it('keep no name of more than 255 characters', () => {
    const long = 'x'.repeat(256);
    expect(() => groups.heartbeat(long, ['g'], 'connection 1', 0)).to.throw(CommandError, 'has 256 characters');
    expect(() => groups.heartbeat('a', ['g', long], 'connection 1', 0)).to.throw(CommandError, 'has 256 characters');
    expect(groups.clientIds('g')).to.deep.equal([]);
    expect(groups.heartbeat(long.slice(1), ['g'], 'connection 1', 0)).to.deep.equal(['g']);
  });
});
