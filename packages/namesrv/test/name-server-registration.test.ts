import { deflateSync } from 'node:zlib';
import { encodeRegisterBrokerBody, MqVersion, RequestCode } from '@rmqns/protocol';
import { expect } from 'chai';
import { broker, EMPTY, nameServerFixture, recordingLogger, topics } from './name-server-fixture.js';

describe('a name server, registering brokers', () => {
  const { start, connect, ask, register, text, clusterInfo } = nameServerFixture();

  const required = ['brokerName', 'brokerAddr', 'clusterName', 'brokerId'];
  const good = encodeRegisterBrokerBody(topics('T1', 'T2'), { compressed: false, fiveX: true });
  const bomb = deflateSync(Buffer.alloc(128 * 1024 * 1024));
  const refused: [string, Record<string, string>, Uint8Array | undefined, RegExp][] = [
    ['with a wrong CRC', { bodyCrc32: '1' }, good, /^crc32 not match$/],
    ['with a CRC and no body', { bodyCrc32: '1' }, undefined, /^crc32 not match$/],
    ['whose body is no JSON', {}, Buffer.from('nonsense'), /^the JSON text is wrong at character 0/],
    ['whose body is null', {}, Buffer.from('null'), /^the registration is null$/],
    ['whose compressed body is not deflated', { compressed: 'true' }, good, /^the compressed body is no zlib stream/],
    [
      'whose compressed body is cut short',
      { compressed: 'true' },
      deflateSync(good).subarray(0, 20),
      /^the compressed body is cut short: it /,
    ],
    [
      'whose compressed body announces 2 GiB of data version',
      { compressed: 'true' },
      deflateSync(Buffer.from('7fffffff', 'hex')),
      /^the compressed body is cut short: the data version/,
    ],
    ['whose compressed body inflates to 128 MiB', { compressed: 'true' }, bomb, /inflates to more than 13046600 bytes/],
    ['with a broker id that is no number', { brokerId: 'zero' }, good, /brokerId/],
    ...required.map((field): [string, Record<string, string>, Uint8Array, RegExp] => [
      `without ${field}`,
      { [field]: '\0' },
      good,
      new RegExp(`^the custom field <${field}> is null$`),
    ]),
    ...required
      .slice(0, 3)
      .flatMap((field): [string, Record<string, string>, Uint8Array, RegExp][] => [
        [`with an empty ${field}`, { [field]: '' }, good, new RegExp(`^the custom field <${field}> is empty$`)],
      ]),
  ];
  for (const [what, fields, body, remark] of refused) {
    for (const profile of ['4.7.1', '4.9.7', '5.3.3'] as const) {
      it(`as ${profile} refuses a registration ${what}: code 1, the cause named, no trace`, async () => {
        const server = await start({ profile });
        const client = connect();
        const extFields = Object.fromEntries(
          Object.entries({ ...broker, ...fields }).filter(([, value]) => value !== '\0'),
        );
        const response = await ask(client, server, RequestCode.REGISTER_BROKER, extFields, body);
        expect(response.code).to.equal(1);
        expect(response.remark).to.match(remark).and.not.contain('    at ');
        expect(await clusterInfo(client, server)).to.equal(EMPTY);
        expect(text(await ask(client, server, RequestCode.GET_ALL_TOPIC_LIST_FROM_NAMESERVER))).to.equal(
          '{"topicList":[]}',
        );
      });
    }
  }

  for (const [profile, code] of [
    ['4.7.1', 0],
    ['4.9.7', 0],
    ['5.3.3', 1],
  ] as const) {
    it(`as ${profile} answers ${code} to a compressed body in the layout of 4.x from a version of 5.x`, async () => {
      const server = await start({ profile });
      const body = encodeRegisterBrokerBody(topics('T1', 'T2'), { compressed: true, fiveX: false });
      const client = connect(MqVersion.V5_3_3);
      const fields = { ...broker, compressed: 'true' };
      const response = await ask(client, server, RequestCode.REGISTER_BROKER, fields, body);
      expect(response.code).to.equal(code);
      expect(response.remark ?? '').to.match(code === 0 ? /^$/ : /it ends before the number of queue mappings/);
    });
  }

  it('refuses a registration of a negative version, as Apache does, without a trace', async () => {
    const server = await start();
    expect(await register(connect(-1), server)).to.deep.include({
      code: 1,
      remark: 'the version -1 of the request is none',
    });
    expect(await clusterInfo(connect(), server)).to.equal(EMPTY);
  });

  it('logs a wrong CRC with the address that it came from', async () => {
    const { logger, lines } = recordingLogger();
    const server = await start({}, undefined, { logger });
    await register(connect(), server, { bodyCrc32: '1' });
    const warnings = lines.filter(({ level }) => level === 'warn');
    expect(warnings).to.have.length(1);
    expect(warnings[0]?.message).to.match(/^receive registerBroker request,crc32 not match,from 127\.0\.0\.1:\d+$/);
    expect(warnings[0]?.fields).to.include({ broker: 'broker-a', addr: '10.0.0.1:10911' });
  });

  for (const profile of ['4.7.1', '4.9.7'] as const) {
    it(`as ${profile} skips whatever a registration says of static topics`, async () => {
      const server = await start({ profile });
      const body = good.toString().replace('"topicQueueMappingInfoMap":{}', '"topicQueueMappingInfoMap":{"T1":null}');
      expect(body).to.contain('null');
      const response = await ask(connect(), server, RequestCode.REGISTER_BROKER, broker, Buffer.from(body));
      expect(response.code).to.equal(0);
    });
  }

  for (const field of ['clusterName', 'brokerAddr'] as const) {
    it(`refuses an empty ${field} in every request that names a broker`, async () => {
      const server = await start();
      const client = connect();
      for (const code of [
        RequestCode.UNREGISTER_BROKER,
        RequestCode.QUERY_DATA_VERSION,
        RequestCode.BROKER_HEARTBEAT,
      ]) {
        expect(await ask(client, server, code, { ...broker, [field]: '' })).to.deep.include({
          code: 1,
          remark: `the custom field <${field}> is empty`,
        });
      }
    });
  }

  it('answers a version query without a body with code 1 as 4.x, and as 5.3.3 that everything has changed', async () => {
    for (const [profile, expected] of [
      ['4.7.1', [1, undefined, 'the request has no body; it should be a data version']],
      ['4.9.7', [1, undefined, 'the request has no body; it should be a data version']],
      ['5.3.3', [0, 'true', undefined]],
    ] as const) {
      const server = await start({ profile });
      const client = connect();
      await register(client, server);
      const { code, extFields, remark } = await ask(client, server, RequestCode.QUERY_DATA_VERSION, broker);
      expect([code, extFields?.['changed'], remark], profile).to.deep.equal(expected);
    }
  });
});
