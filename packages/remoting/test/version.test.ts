import { readFileSync } from 'node:fs';
import { expect } from 'chai';
import { PACKAGE_VERSION } from '../src/version.js';

describe('PACKAGE_VERSION', () => {
  it('is that of package.json', () => {
    const manifest = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8'));
    expect(PACKAGE_VERSION).to.equal(manifest.version);
  });
});
