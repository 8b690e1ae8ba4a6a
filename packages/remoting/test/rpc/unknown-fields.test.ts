import { expect } from 'chai';
import { RemotingClient } from '../../src/client/remoting-client.js';
import { defineCommand } from '../../src/command/define-command.js';
import { t } from '../../src/command/header-field.js';
import { createExtFields, RemotingCommand } from '../../src/command/remoting-command.js';
import { SerializeType } from '../../src/command/serialize-type.js';
import { RemotingServer } from '../../src/server/remoting-server.js';

const Relay = defineCommand({
  code: 9001,
  name: 'RELAY',
  request: { topic: t.string() },
  response: { topic: t.string() },
});

describe('ext fields that a definition does not name', () => {
  for (const [name, serializeType] of Object.entries(SerializeType)) {
    it(`are seen by a typed handler, sent on, sent back and seen by the caller (${name})`, async () => {
      const server = new RemotingServer();
      const client = new RemotingClient();
      try {
        server.handle(Relay, ({ header, command }) => ({ header, extFields: command.extFields }));
        await server.start();
        const answer = await client.invokeSync(
          server.address,
          RemotingCommand.request(Relay.code, {
            extFields: createExtFields({ topic: 'T', newer: '1', __proto__x: '2' }),
            serializeType,
          }),
        );
        expect({ ...answer.extFields }).to.deep.equal({ topic: 'T', newer: '1', __proto__x: '2' });
        const typed = await client.call(
          server.address,
          Relay,
          { topic: 'T' },
          { extFields: { newer: '1', topic: 'X' } },
        );
        expect(typed.header).to.deep.equal({ topic: 'T' });
        expect({ ...typed.command.extFields }).to.deep.equal({ topic: 'T', newer: '1' });
      } finally {
        await client.destroy();
        await server.destroy();
      }
    });
  }
});
