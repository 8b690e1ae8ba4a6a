import { inspect } from 'node:util';
import { expect } from 'chai';
import fc from 'fast-check';
import { RemotingClient } from '../../src/client/remoting-client.js';
import { defineCommand } from '../../src/command/define-command.js';
import { t } from '../../src/command/header-field.js';
import { createExtFields, type ExtFields, RemotingCommand } from '../../src/command/remoting-command.js';
import type { CommandError, RemotingError } from '../../src/errors.js';
import { AclClientRpcHook, type AclClientRpcHookOptions } from '../../src/rpc/acl-client-rpc-hook.js';
import { AclServerRpcHook, type AclServerRpcHookOptions } from '../../src/rpc/acl-server-rpc-hook.js';
import { aclSignature } from '../../src/rpc/acl-signature.js';
import { RemotingServer } from '../../src/server/remoting-server.js';

const Unregister = defineCommand({
  code: 104,
  name: 'UNREGISTER_BROKER',
  request: { brokerName: t.string(), brokerAddr: t.string(), clusterName: t.string(), brokerId: t.long() },
});

const keys = { accessKey: 'RocketMQ', secretKey: '12345678' };
const header: ExtFields = {
  brokerAddr: '10.0.0.1:10911',
  brokerId: '0',
  brokerName: 'broker-a',
  clusterName: 'DefaultCluster',
};
const old: AclClientRpcHookOptions = { generation: '4.7.1', commands: [Unregister] };

/** The ext fields of a request when it is signed. */
function signed(
  request: RemotingCommand,
  options: AclClientRpcHookOptions = {},
  credentials: ConstructorParameters<typeof AclClientRpcHook>[0] = keys,
): ExtFields {
  new AclClientRpcHook(credentials, options).doBeforeRequest('', request);
  return request.extFields ?? {};
}

const unregister = (more: ExtFields = {}, body?: string): RemotingCommand =>
  RemotingCommand.request(104, {
    extFields: createExtFields({ ...header, ...more }),
    body: body === undefined ? undefined : Buffer.from(body),
  });

// Reference: remoting 7.2, the vectors in their order.
describe('AclClientRpcHook', () => {
  it('signs a header without body alike in all releases', () => {
    for (const options of [old, {}]) {
      const fields = signed(unregister(), options);
      expect(fields['Signature']).to.equal('Bq3NPU3h3rgcTlNm+4oTRWaZ7JM=');
      expect(fields['AccessKey']).to.equal('RocketMQ');
      expect(fields).to.not.have.property('SecurityToken');
    }
  });

  it('signs the bytes of the body behind the fields', () => {
    for (const options of [old, {}])
      expect(signed(unregister({}, 'BODY'), options)['Signature']).to.equal('uAmdovr35NpLmxxTjwp/v25/eFk=');
  });

  it('signs the security token; a field that is not of the header by 4.9.7 and later alone', () => {
    const temporary = { ...keys, securityToken: 'tok' };
    const before = signed(unregister({ zzz: 'Z' }, 'BODY'), old, temporary);
    expect([before['Signature'], before['SecurityToken']]).to.deep.equal(['1vckTVGuJgbwxUTWH79yhFG3Eas=', 'tok']);
    const since = signed(unregister({ zzz: 'Z' }, 'BODY'), { generation: '4.9.7' }, temporary);
    expect(since['Signature']).to.equal('VJFeBs1RlLBmc59NmJIbDivUruM=');
  });

  it('signs a request without header and body', () => {
    const request = (): RemotingCommand => RemotingCommand.request(9, { extFields: createExtFields({ zzz: 'Z' }) });
    expect(signed(request(), old)['Signature']).to.equal('IUc8rrO/0gDch8CjObLQsW2rsiA=');
    expect(signed(request())['Signature']).to.equal('zER4dqz1HD4G5OtuQLSuMjq6/Yw=');
    expect(signed(RemotingCommand.request(9))['Signature']).to.equal('IUc8rrO/0gDch8CjObLQsW2rsiA=');
  });

  it('calculates a raw HMAC as upstream', () => {
    expect(aclSignature('abc', undefined, '12345678')).to.equal('BOigG5+Fiv0354g5bQuwOUOPMp0=');
  });

  it('orders the fields by UTF-16 code units, and takes an old signature for none of them', () => {
    const request = RemotingCommand.request(9, {
      extFields: createExtFields({ '\u{ff5e}': '4', '\u{1f600}': '3', b: '2', Signature: 'old', Z: '1' }),
    });
    expect(signed(request)['Signature']).to.equal(aclSignature('RocketMQ1234', undefined, '12345678'));
  });

  it('refuses to be made without keys', () => {
    for (const bad of [{ accessKey: '', secretKey: 'a' }, { accessKey: 'a' }, {}])
      expect(() => new AclClientRpcHook(bad as typeof keys))
        .to.throw('a request cannot be signed without')
        .and.have.property('code', 'INVALID_ARGUMENT');
  });

  it("fails with upstream's code and words when the signature cannot be calculated", () => {
    const request = RemotingCommand.request(9, { body: 5 as unknown as Uint8Array });
    expect(() => signed(request))
      .to.throw('[10015:signature-failed] unable to calculate a request signature. error=')
      .and.satisfy((error: RemotingError) => error.code === 'ENCODE_FAILED');
  });

  it('shows its secret to nobody who prints it', () => {
    expect(inspect(new AclClientRpcHook(keys), { depth: 9, showHidden: true })).to.not.contain('12345678');
  });
});

describe('AclServerRpcHook', () => {
  const secretOf = (accessKey: string): string | undefined => (accessKey === 'RocketMQ' ? '12345678' : undefined);
  const verify = (
    request: RemotingCommand,
    options: Partial<AclServerRpcHookOptions> = {},
  ): CommandError | undefined => {
    try {
      new AclServerRpcHook({ secretOf, ...options }).doBeforeRequest('', request);
      return undefined;
    } catch (error) {
      return error as CommandError;
    }
  };

  it('lets signed requests of both generations through, with and without body', () => {
    for (const options of [old, {}]) {
      for (const body of [undefined, 'BODY']) {
        const request = unregister({}, body);
        signed(request, options);
        expect(verify(request)).to.equal(undefined);
      }
    }
  });

  it('refuses any request of which one field, or the body, was changed, added or taken away', () => {
    const name = fc.constantFrom('AccessKey', 'brokerId', 'Signature', 'added', 'body');
    fc.assert(
      fc.property(name, fc.string(), fc.boolean(), (changed, value, isTaken) => {
        const request = unregister({}, 'BODY');
        const fields = signed(request);
        const before = changed === 'body' ? 'BODY' : fields[changed];
        fc.pre(isTaken ? changed in fields : value !== before && !(changed === 'added' && value === ''));
        if (changed === 'body') request.body = Buffer.from(value);
        else if (isTaken) delete fields[changed];
        else fields[changed] = value;
        expect(verify(request)?.responseCode).to.equal(16);
      }),
    );
  });

  it('answers NO_PERMISSION with the reason, the same for an unknown access key as for a wrong signature', () => {
    const remark = (fields: ExtFields): unknown => {
      const error = verify(RemotingCommand.request(1, { extFields: createExtFields(fields) }));
      return [error?.responseCode, error?.remark];
    };
    expect(remark({})).to.deep.equal([16, 'No accessKey is configured']);
    expect(remark({ AccessKey: 'RocketMQ' })).to.deep.equal([16, 'No signature is given']);
    for (const AccessKey of ['RocketMQ', 'nobody'])
      expect(remark({ AccessKey, Signature: 'x' })).to.deep.equal([
        16,
        `Check signature failed for accessKey=${AccessKey}`,
      ]);
    expect(verify(RemotingCommand.request(1))?.responseCode).to.equal(16);
  });

  it('refuses a secret that is empty', () => {
    const text = 'RocketMQ';
    const fields = createExtFields({ AccessKey: 'RocketMQ', Signature: aclSignature(text, undefined, '') });
    expect(verify(RemotingCommand.request(1, { extFields: fields }), { secretOf: () => '' })?.responseCode).to.equal(
      16,
    );
  });

  it('gives the security token to whoever knows the secrets', () => {
    const request = unregister();
    signed(request, {}, { ...keys, securityToken: 'tok' });
    const asked: unknown[] = [];
    const error = verify(request, {
      secretOf: (...args) => {
        asked.push(args);
        return '12345678';
      },
    });
    expect([error, asked]).to.deep.equal([undefined, [['RocketMQ', 'tok']]]);
  });

  it('leaves _UNIQUE_KEY_QUERY out for callers up to 4.9.3, or for all as 4.x does', () => {
    /** Signed without the field, as old clients do, which add it after the signing. */
    const late = (version: number): RemotingCommand => {
      const request = unregister();
      signed(request);
      request.version = version;
      if (request.extFields !== undefined) request.extFields['_UNIQUE_KEY_QUERY'] = 'true';
      return request;
    };
    expect([verify(late(399)), verify(late(401))?.responseCode]).to.deep.equal([undefined, 16]);
    expect(verify(late(401), { generation: '4.x' })).to.equal(undefined);
    const whole = unregister({ _UNIQUE_KEY_QUERY: 'true' });
    signed(whole);
    whole.version = 401;
    expect(verify(whole)).to.equal(undefined);
  });

  it('does not look at requests that need no signature', () => {
    expect(verify(RemotingCommand.request(34), { isRequired: ({ code }) => code !== 34 })).to.equal(undefined);
  });

  it('guards a server: processors see signed requests alone, and the refusal arrives as it is', async () => {
    const server = new RemotingServer();
    const client = new RemotingClient();
    try {
      let seen = 0;
      server.registerRpcHook(new AclServerRpcHook({ secretOf }));
      server.handle(Unregister, () => {
        seen++;
      });
      await server.start();
      const call = (): Promise<unknown> =>
        client.call(server.address, Unregister, { brokerName: 'b', brokerAddr: 'a', clusterName: 'c', brokerId: 0 });
      const refused = await call().then(
        () => undefined,
        (error: CommandError) => [error.responseCode, error.remark],
      );
      expect([refused, seen]).to.deep.equal([[16, 'No accessKey is configured'], 0]);
      client.registerRpcHook(new AclClientRpcHook(keys));
      await call();
      expect(seen).to.equal(1);
      // The server's own calls to its clients are not what it verifies.
      client.registerProcessor(1, { processRequest: () => RemotingCommand.response(0, 'pushed') });
      const [channel] = server.channels;
      expect(channel && (await server.invokeSync(channel, RemotingCommand.request(1))).remark).to.equal('pushed');
    } finally {
      await client.destroy();
      await server.destroy();
    }
  });
});
