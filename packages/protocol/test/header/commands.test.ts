import { type BodyCodec, DecodeError, decodeHeader, encodeHeader, type HeaderSchema } from '@rmqns/remoting/command';
import { expect } from 'chai';
import * as protocol from '../../src/index.js';
import { RequestCode, requestCodeName, responseCodeName } from '../../src/index.js';

interface Command {
  readonly code: number;
  readonly name: string;
  readonly request: HeaderSchema;
  readonly response: HeaderSchema;
}

const exported: unknown[] = Object.values(protocol);
const commands = exported.filter(
  (value): value is Command => typeof value === 'object' && value !== null && 'request' in value,
);

/** `name`, `name?` or `name=`: required, optional, with a default. */
function fieldsOf(schema: HeaderSchema): string {
  const mark = { required: '', optional: '?', default: '=' };
  return Object.entries(schema)
    .map(([name, field]) => `${name}${mark[field.presence]}:${field.kind}`)
    .join(' ');
}

describe('command definitions', () => {
  it('cover the 23 codes that a name server answers and the one that it sends', () => {
    const codes = commands.map((command) => command.code).sort((a, b) => a - b);
    expect(codes).to.deep.equal([
      100, 101, 102, 103, 104, 105, 106, 205, 206, 216, 217, 219, 224, 304, 311, 312, 313, 318, 319, 322, 327, 901, 904,
      905,
    ]);
  });

  it('carry upstream names that belong to their codes', () => {
    for (const command of commands) expect(requestCodeName(command.code)).to.equal(command.name);
  });

  it('read and write bodies that are plain values', () => {
    const brokerAddrs = new Map([[0, '10.0.0.1:10911']]);
    const broker = { cluster: 'C', brokerName: 'b', brokerAddrs, zoneName: undefined, enableActingMaster: false };
    const table: ReadonlyMap<string, string> = new Map([['T', 'b:4']]);
    const info = { brokerAddrTable: new Map([['b', broker]]), clusterAddrTable: new Map([['C', new Set(['b'])]]) };
    const group = { cluster: 'C', brokerName: 'b', brokerAddrs };
    const list = { topicList: ['T'], brokerAddr: '10.0.0.1:10911' };
    const { GetBrokerClusterInfo, GetBrokerMemberGroup, GetKvListByNamespace, RegisterBroker } = protocol;
    const lists = [
      protocol.GetAllTopicListFromNameserver,
      protocol.GetTopicsByCluster,
      protocol.GetSystemTopicListFromNs,
      protocol.GetUnitTopicList,
      protocol.GetHasUnitSubTopicList,
      protocol.GetHasUnitSubUnunitTopicList,
    ];
    const again = <T>({ encode, decode }: BodyCodec<T>, value: T): T => decode(encode(value));
    expect(again(GetBrokerClusterInfo.responseBody, info)).to.deep.equal(info);
    expect(again(GetBrokerMemberGroup.responseBody, group)).to.deep.equal(group);
    expect(again(GetKvListByNamespace.responseBody, table)).to.deep.equal(table);
    expect(again(RegisterBroker.responseBody, table)).to.deep.equal(table);
    expect(again(RegisterBroker.responseBody, undefined)).to.equal(undefined);
    for (const { responseBody } of lists) expect(again(responseBody, list)).to.deep.equal(list);
  });

  it('refuse an answer without the body that it must have', () => {
    const rows: [BodyCodec<unknown>, string][] = [
      [protocol.GetBrokerClusterInfo.responseBody as BodyCodec<unknown>, 'the cluster information'],
      [protocol.GetBrokerMemberGroup.responseBody as BodyCodec<unknown>, 'the broker member group'],
      [protocol.GetKvListByNamespace.responseBody as BodyCodec<unknown>, 'the KV table'],
      [protocol.GetTopicsByCluster.responseBody as BodyCodec<unknown>, 'the topic list'],
    ];
    for (const [codec, what] of rows) {
      for (const body of [undefined, new Uint8Array(0)]) {
        expect(() => codec.decode(body)).to.throw(DecodeError, `${what} is missing: there is no body`);
      }
    }
  });

  it('declare the fields of each request', () => {
    const fields = Object.fromEntries(commands.map((command) => [command.code, fieldsOf(command.request)]));
    expect(fields).to.deep.equal({
      100: 'namespace?:string key?:string value?:string',
      101: 'namespace?:string key?:string',
      102: 'namespace?:string key?:string',
      103:
        'brokerName:string brokerAddr:string clusterName:string brokerId:long haServerAddr?:string compressed=:boolean ' +
        'bodyCrc32=:int heartbeatTimeoutMillis?:long enableActingMaster?:boolean __ZONE_NAME?:string __ZONE_MODE?:boolean',
      104: 'brokerName:string brokerAddr:string clusterName:string brokerId:long',
      105: 'topic?:string acceptStandardJsonOnly?:boolean __ZONE_MODE?:boolean __ZONE_NAME?:string',
      106: '',
      205: 'brokerName?:string',
      206: '',
      216: 'topic?:string clusterName?:string',
      217: 'topic?:string',
      219: 'namespace?:string',
      224: 'cluster?:string',
      304: '',
      311: '',
      312: '',
      313: '',
      318: '',
      319: '',
      322: 'brokerAddr:string clusterName?:string brokerName?:string brokerId?:long',
      327: 'brokerName?:string',
      901: 'clusterName?:string brokerName?:string',
      904:
        'clusterName:string brokerAddr:string brokerName?:string brokerId?:long epoch?:int maxOffset?:long ' +
        'confirmOffset?:long heartbeatTimeoutMills?:long electionPriority?:int',
      905:
        'minBrokerId?:long minBrokerAddr?:string offlineBrokerAddr?:string haBrokerAddr?:string ' +
        'brokerName?:string',
    });
  });

  it('declare the fields of each answer', () => {
    const fields = commands
      .filter((command) => Object.keys(command.response).length > 0)
      .map((command) => `${command.code} ${fieldsOf(command.response)}`);
    expect(fields.sort()).to.deep.equal([
      '101 value?:string',
      '103 haServerAddr?:string masterAddr?:string',
      '205 wipeTopicCount:int',
      '322 changed:boolean',
      '327 addTopicCount:int',
    ]);
  });

  it('read a registration of a 4.x broker with the defaults of what it does not say', () => {
    const header = decodeHeader(protocol.RegisterBroker.request, {
      brokerName: 'broker-a',
      brokerAddr: '127.0.0.1:41101',
      clusterName: 'DefaultCluster',
      brokerId: '0',
      haServerAddr: '127.0.0.1:41102',
      bodyCrc32: 'x',
    });
    expect(header).to.deep.equal({
      brokerName: 'broker-a',
      brokerAddr: '127.0.0.1:41101',
      clusterName: 'DefaultCluster',
      brokerId: 0,
      haServerAddr: '127.0.0.1:41102',
      compressed: false,
      bodyCrc32: 0,
    });
  });

  it('keep a broker id of 64 bits exact', () => {
    const fields = { brokerName: 'b', brokerAddr: 'a:1', clusterName: 'c', brokerId: '9007199254740993' };
    const header = decodeHeader(protocol.UnregisterBroker.request, fields);
    expect(header.brokerId).to.equal(9007199254740993n);
    expect({ ...encodeHeader(protocol.UnregisterBroker.request, header) }).to.deep.equal(fields);
  });

  it('refuse a registration without broker id, naming the field', () => {
    const fields = { brokerName: 'b', brokerAddr: 'a:1', clusterName: 'c' };
    expect(() => decodeHeader(protocol.RegisterBroker.request, fields)).to.throw('the custom field <brokerId> is null');
  });
});

describe('code names', () => {
  it('are upstream names, and undefined for codes nobody knows', () => {
    expect(requestCodeName(RequestCode.HEART_BEAT)).to.equal('HEART_BEAT');
    expect(requestCodeName(9999)).to.equal(undefined);
    expect(responseCodeName(17)).to.equal('TOPIC_NOT_EXIST');
    expect(responseCodeName(-5)).to.equal(undefined);
  });
});
