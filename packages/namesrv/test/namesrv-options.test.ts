import { expect } from 'chai';
import { NamesrvError } from '../src/errors.js';
import { namesrvOption, namesrvOptionNames } from '../src/namesrv-option-table.js';
import {
  describeOptionProblem,
  type NamesrvOptions,
  NamesrvOptionsError,
  type ParsedOption,
  parseOptionText,
  resolveNamesrvOptions,
} from '../src/namesrv-options.js';

describe('namesrvOptionTable', () => {
  it('has a default that passes its own check, in every row', () => {
    for (const name of namesrvOptionNames) {
      const row = namesrvOption(name);
      if (row?.default === undefined) continue;
      expect(parseOptionText(name, String(row.default)), name).to.deep.equal({ name, value: row.default });
    }
  });

  it('tells what each option means in one sentence', () => {
    for (const name of namesrvOptionNames) expect(namesrvOption(name)?.meaning, name).to.match(/^[A-Z][^\n]+\.$/);
  });

  it('has all keys of upstream: 22 of the name server, 18 of the Netty server, 20 of the Netty client', () => {
    const count = (upstream: 'NamesrvConfig' | 'NettyServerConfig' | 'NettyClientConfig') =>
      namesrvOptionNames.filter((name) => namesrvOption(name)?.upstream.includes(upstream)).length;
    expect(count('NamesrvConfig')).to.equal(22);
    expect(count('NettyServerConfig')).to.equal(18);
    expect(count('NettyClientConfig')).to.equal(20);
  });

  it('has no row for names of Object.prototype', () => {
    expect(namesrvOption('constructor')).to.equal(undefined);
    expect(namesrvOption('__proto__')).to.equal(undefined);
  });
});

describe('resolveNamesrvOptions', () => {
  it('gives the defaults of upstream', () => {
    const resolved = resolveNamesrvOptions();
    expect(Object.keys(resolved)).to.deep.equal(namesrvOptionNames);
    expect(resolved).to.include({
      listenPort: 9876,
      bindAddress: '0.0.0.0',
      profile: '5.3.3',
      defaultHeartbeatTimeoutMillis: 120_000,
      serverChannelMaxIdleTimeSeconds: 120,
      maxFrameBytes: 16_777_216,
      orderMessageEnable: false,
      returnOrderTopicConfigToBroker: true,
      kvConfigPath: undefined,
      scanNotActiveBrokerInterval: undefined,
    });
  });

  it('keeps what is given, and takes undefined for not given', () => {
    const resolved = resolveNamesrvOptions({ listenPort: 0, bindAddress: undefined, orderMessageEnable: true });
    expect(resolved).to.include({ listenPort: 0, bindAddress: '0.0.0.0', orderMessageEnable: true });
  });

  it('throws everything that is wrong at once', () => {
    const input = { listenPort: 70_000, profile: '5.3', orderMesageEnable: true, maxFrameBytes: 1.5 };
    let caught: unknown;
    try {
      resolveNamesrvOptions(input as unknown as NamesrvOptions);
    } catch (error) {
      caught = error;
    }
    expect(caught).to.be.instanceOf(NamesrvOptionsError);
    expect(NamesrvError.is(caught)).to.equal(true);
    expect(caught).to.include({ code: 'OPTIONS_INVALID', name: 'NamesrvOptionsError' });
    expect((caught as NamesrvOptionsError).problems.map(describeOptionProblem)).to.deep.equal([
      'listenPort: "70000" is not between 0 and 65535',
      'profile: "5.3" is none of 4.7.1, 4.9.7, 5.3.3',
      'orderMesageEnable: there is no such option (did you mean orderMessageEnable?)',
      'maxFrameBytes: "1.5" is no whole number',
    ]);
  });

  it('refuses a value of the wrong type', () => {
    for (const input of [{ listenPort: '9876' }, { orderMessageEnable: 'true' }, { bindAddress: 1 }, { profile: null }])
      expect(() => resolveNamesrvOptions(input as unknown as NamesrvOptions)).to.throw(NamesrvOptionsError);
  });
});

describe('parseOptionText', () => {
  const text = (parsed: ParsedOption) =>
    parsed.problem === undefined ? parsed.value : describeOptionProblem(parsed.problem);
  const table: readonly [key: string, text: string, result: string | number | boolean][] = [
    ['listenPort', '9876', 9876],
    ['listenPort', ' 0 ', 0],
    ['listenPort', '+1', 1],
    ['listenPort', '', 'listenPort: "" is no whole number'],
    ['listenPort', 'abc', 'listenPort: "abc" is no whole number'],
    ['listenPort', '1e3', 'listenPort: "1e3" is no whole number'],
    ['listenPort', '0x10', 'listenPort: "0x10" is no whole number'],
    ['listenPort', '-1', 'listenPort: "-1" is not between 0 and 65535'],
    ['connectTimeoutMillis', '2147483648', 'connectTimeoutMillis: "2147483648" is no whole number'],
    ['channelNotActiveInterval', '9007199254740993', 'channelNotActiveInterval: "9007199254740993" is no whole number'],
    [
      'scanNotActiveBrokerInterval',
      '0',
      'scanNotActiveBrokerInterval: "0" is not between 1 and 2147483647 milliseconds',
    ],
    ['serverChannelMaxIdleTimeSeconds', '2147483', 2_147_483],
    [
      'serverChannelMaxIdleTimeSeconds',
      '2147484',
      'serverChannelMaxIdleTimeSeconds: "2147484" is not between 0 and 2147483 seconds',
    ],
    ['orderMessageEnable', 'TRUE', true],
    ['orderMessageEnable', ' False', false],
    ['orderMessageEnable', 'ture', 'orderMessageEnable: "ture" is neither true nor false (did you mean true?)'],
    ['orderMessageEnable', '1', 'orderMessageEnable: "1" is neither true nor false'],
    ['bindAddress', ' ::1 ', '::1'],
    ['kvConfigPath', 'a\0b', 'kvConfigPath: a text must not contain the character NUL'],
    ['logFormat', 'prety', 'logFormat: "prety" is none of json, pretty (did you mean pretty?)'],
    ['enableControllerInNamesrv', 'false', false],
    [
      'enableControllerInNamesrv',
      'true',
      'enableControllerInNamesrv: rmqns has no embedded controller; run the Apache controller as its own process (mqcontroller) and remove this key',
    ],
    ['listenport', '1', 'listenport: there is no such option (did you mean listenPort?)'],
    ['lsitenPort', '1', 'lsitenPort: there is no such option (did you mean listenPort?)'],
    ['somethingElse', '1', 'somethingElse: there is no such option'],
    ['__proto__', '1', '__proto__: there is no such option'],
  ];
  for (const [key, given, result] of table)
    it(`reads ${key}=${JSON.stringify(given)}`, () => {
      expect(text(parseOptionText(key, given))).to.equal(result);
    });

  it('keeps the text as it was given', () => {
    expect(parseOptionText('listenPort', ' x ').problem).to.include({ kind: 'invalid', text: ' x ' });
    expect(parseOptionText('listenPrt', '1').problem).to.include({ kind: 'unknown', suggestion: 'listenPort' });
  });
});
