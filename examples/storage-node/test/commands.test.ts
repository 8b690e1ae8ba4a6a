import { type CommandDefinition, decodeFrame, decodeHeader, type RemotingCommand } from '@rmqns/remoting/command';
import { loadStorageNodeVectors } from '@rmqns/test-kit';
import { expect } from 'chai';
import * as commands from '../src/commands.js';

const definitions = new Map<number, CommandDefinition>(
  Object.values(commands).map((definition) => [definition.code, definition as unknown as CommandDefinition]),
);

function decode(base64: string): RemotingCommand {
  return decodeFrame(Buffer.from(base64, 'base64').subarray(4));
}

describe('the definitions of commands', () => {
  for (const vector of loadStorageNodeVectors()) {
    const definition = definitions.get(vector.code);
    if (definition === undefined) continue;
    it(`read the captured exchange ${vector.name}`, () => {
      const request = decode(vector.request.frame_base64);
      decodeHeader(definition.request, request.extFields);
      definition.requestBody.decode(request.body);
      if (vector.response === null || vector.response.header.code !== 0) return;
      const response = decode(vector.response.frame_base64);
      decodeHeader(definition.response, response.extFields);
      definition.responseBody.decode(response.body);
    });
  }

  it('name every captured code but those that are refused', () => {
    const unknown = loadStorageNodeVectors().filter(({ code }) => !definitions.has(code));
    expect([...new Set(unknown.map(({ code }) => code))]).to.have.members([26, 36, 46]);
  });

  it('read the groups of a heartbeat of Go and of Java', () => {
    const groups = (name: string) => {
      const vector = loadStorageNodeVectors().find((candidate) => candidate.name === name);
      return commands.HeartBeat.requestBody.decode(decode(vector?.request.frame_base64 ?? '').body);
    };
    expect(groups('34-heartbeat-consumer.go')).to.deep.equal({
      clientID: '192.0.2.2@c1795959843186378308',
      consumerDataSet: [{ groupName: 'gc1795959843186378308' }],
    });
    expect(groups('34-heartbeat-consumer.java-5.3.3').consumerDataSet.length).to.equal(1);
  });
});
