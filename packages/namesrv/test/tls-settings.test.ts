import { expect } from 'chai';
import { namesrvOptionNames } from '../src/namesrv-option-table.js';
import { type NamesrvOptions, parseOptionText, resolveNamesrvOptions } from '../src/namesrv-options.js';
import { tlsSettingsOf } from '../src/tls-settings.js';

const settings = (options: NamesrvOptions = {}) => tlsSettingsOf(resolveNamesrvOptions(options));

describe('tlsSettingsOf', () => {
  it('is as Apache where nothing is set: plain and TLS on one port, a made-up certificate, plain calls', () => {
    const { server, isClientEnabled } = settings();
    expect(server).to.include({ mode: 'permissive', testMode: true, needClientAuth: 'none', authClient: false });
    expect(isClientEnabled).to.equal(false);
  });

  it('takes a certificate that is named for one that is meant, unless test mode is asked for', () => {
    const files = { 'tls.server.certPath': '/a.crt', 'tls.server.keyPath': '/a.key', 'tls.server.keyPassword': 'p' };
    expect(settings(files).server).to.include({
      testMode: false,
      certPath: '/a.crt',
      keyPath: '/a.key',
      keyPassword: 'p',
    });
    expect(settings({ ...files, 'tls.test.mode.enable': true }).server.testMode).to.equal(true);
  });

  it('calls over TLS where it is enforced or asked for', () => {
    expect(settings({ 'tls.server.mode': 'enforcing' }).isClientEnabled).to.equal(true);
    expect(settings({ 'tls.server.mode': 'enforcing', 'tls.enable': false }).isClientEnabled).to.equal(false);
    expect(settings({ useTLS: true }).isClientEnabled).to.equal(true);
  });

  it('hands on every key', () => {
    const given = Object.fromEntries(
      namesrvOptionNames
        .filter((name) => /Path$|Password$/.test(name) && name.startsWith('tls.'))
        .map((name) => [name, name]),
    );
    const { server, client } = settings(given as NamesrvOptions);
    expect(new Set(Object.values({ server, client }).flatMap((side) => Object.values(side)))).to.include.keys(
      ...Object.keys(given),
    );
  });

  it('reads who must have a certificate in any case, and the mode exactly', () => {
    expect(parseOptionText('tls.server.need.client.auth', 'REQUIRE')).to.include({ value: 'require' });
    expect(parseOptionText('tls.server.mode', 'ENFORCING')).to.have.nested.property('problem.suggestion');
  });
});
