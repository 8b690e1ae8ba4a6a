import { createExtFields, RemotingCommand } from '@rmqns/remoting';
import { decodeFrame } from '@rmqns/remoting/command';
import { expect } from 'chai';
import { RouteLookups } from '../../src/processor/route-lookups.js';

/** A request as it is read off the wire, by the scanner or, with a blank in it, by the parser. */
function lookup(extFields: string, blank = ''): RemotingCommand {
  const header = Buffer.from(`{"code":105,${blank}"extFields":{${extFields}},"flag":0,"opaque":7,"version":479}`);
  const word = Buffer.alloc(4);
  word.writeUInt32BE(header.length);
  return decodeFrame(Buffer.concat([word, header]));
}

describe('RouteLookups', () => {
  it('reads a lookup once, however often it comes in the same words', () => {
    const lookups = new RouteLookups();
    const first = lookups.of(lookup('"topic":"a","acceptStandardJsonOnly":"true"'));
    expect(first).to.deep.equal({ topic: 'a', acceptStandardJsonOnly: true });
    expect(lookups.of(lookup('"topic":"a","acceptStandardJsonOnly":"true"'))).to.equal(first);
    expect(lookups.size).to.equal(1);
  });

  it('keeps lookups apart that differ in one field, its case, or their order', () => {
    const lookups = new RouteLookups();
    const said = ['"topic":"a"', '"topic":"A"', '"topic":"a","x":"topic"', '"x":"topic","topic":"a"', '"tobic":"a"'];
    for (let round = 0; round < 2; round++) {
      const topics = said.map((text) => lookups.of(lookup(text)).topic);
      expect(topics).to.deep.equal(['a', 'A', 'a', 'a', undefined]);
    }
    expect(lookups.size).to.equal(5);
  });

  it('keeps nothing of what the scanner leaves to the parser, of binary headers, or of long ones', () => {
    const lookups = new RouteLookups();
    const made = RemotingCommand.request(105, { extFields: createExtFields({ topic: 'b' }) });
    const topic = 't'.repeat(300);
    expect(lookups.of(lookup('"topic":"a"', ' ')).topic).to.equal('a');
    expect(lookups.of(made).topic).to.equal('b');
    expect(lookups.of(lookup(`"topic":"${topic}"`)).topic).to.equal(topic);
    expect(lookups.of(RemotingCommand.request(105)).topic).to.equal(undefined);
    expect(lookups.size).to.equal(0);
  });

  it('is bounded, whoever asks for ever new topics', () => {
    const lookups = new RouteLookups();
    for (let i = 0; i < 70_000; i++) lookups.of(lookup(`"topic":"${i}"`));
    expect(lookups.size).to.be.at.most(32_768);
    expect(lookups.of(lookup('"topic":"69999"')).topic).to.equal('69999');
  });

  it('leaves the request its ext fields', () => {
    const lookups = new RouteLookups();
    for (let i = 0; i < 2; i++) {
      const request = lookup('"topic":"a"');
      lookups.of(request);
      expect({ ...request.extFields }).to.deep.equal({ topic: 'a' });
    }
  });
});
