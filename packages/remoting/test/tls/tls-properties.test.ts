import { expect } from 'chai';
import { tlsConfigFile, tlsOptionsFromProperties } from '../../src/tls/tls-properties.js';

describe('tlsOptionsFromProperties', () => {
  it('has the defaults of upstream for an empty record', () => {
    const { server, client, isClientEnabled } = tlsOptionsFromProperties({});
    expect(defined(server)).to.deep.equal({
      testMode: true,
      mode: 'permissive',
      needClientAuth: 'none',
      authClient: false,
    });
    expect(defined(client)).to.deep.equal({ testMode: true, authServer: false });
    expect([isClientEnabled, tlsConfigFile({})]).to.deep.equal([false, '/etc/rocketmq/tls.properties']);
  });

  it('takes all eleven settings of the override file (A41), and only those', () => {
    const overrides = {
      'tls.test.mode.enable': 'false',
      'tls.server.need.client.auth': 'require',
      'tls.server.keyPath': '/o/server.key',
      'tls.server.keyPassword': '4321',
      'tls.server.certPath': '/o/server.pem',
      'tls.server.authClient': 'true',
      'tls.server.trustCertPath': '/o/ca.pem',
      'tls.client.keyPath': '/o/client.key',
      'tls.client.keyPassword': '1234',
      'tls.client.certPath': '/o/client.pem',
      'tls.client.authServer': 'true',
      'tls.client.trustCertPath': '/o/client-ca.pem',
      // System properties only:
      'tls.server.mode': 'disabled',
      'tls.enable': 'true',
    };
    const properties = {
      'tls.server.mode': 'enforcing',
      'tls.server.keyPath': '/p/server.key',
      'tls.test.mode.enable': 'true',
      'tls.client.authServer': 'false',
    };
    expect(tlsOptionsFromProperties(properties, overrides)).to.deep.equal({
      server: {
        testMode: false,
        keyPath: '/o/server.key',
        keyPassword: '4321',
        certPath: '/o/server.pem',
        trustCertPath: '/o/ca.pem',
        mode: 'enforcing',
        needClientAuth: 'require',
        authClient: true,
      },
      client: {
        testMode: false,
        keyPath: '/o/client.key',
        keyPassword: '1234',
        certPath: '/o/client.pem',
        trustCertPath: '/o/client-ca.pem',
        authServer: true,
      },
      isClientEnabled: false,
    });
  });

  for (const [text, mode] of [
    ['disabled', 'disabled'],
    ['enforcing', 'enforcing'],
    ['ENFORCING', 'permissive'],
    ['', 'permissive'],
    ['on', 'permissive'],
  ]) {
    it(`reads tls.server.mode=${text} as ${mode}`, () => {
      expect(tlsOptionsFromProperties({ 'tls.server.mode': text }).server.mode).to.equal(mode);
    });
  }

  for (const [text, need] of [
    ['Require', 'require'],
    ['OPTIONAL', 'optional'],
    ['', 'none'],
    ['must', 'none'],
  ]) {
    it(`reads tls.server.need.client.auth=${text} as ${need}`, () => {
      const { server } = tlsOptionsFromProperties({ 'tls.server.need.client.auth': text });
      expect(server.needClientAuth).to.equal(need);
    });
  }

  it('reads flags as Java does, and an empty password as none', () => {
    const read = (text: string): boolean | undefined =>
      tlsOptionsFromProperties({ 'tls.test.mode.enable': text }).server.testMode;
    expect([read('TRUE'), read('yes'), read('')]).to.deep.equal([true, false, false]);
    expect(tlsOptionsFromProperties({ 'tls.server.keyPassword': '' }).server.keyPassword).to.equal(undefined);
  });
});

function defined(options: object): object {
  return Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined));
}
