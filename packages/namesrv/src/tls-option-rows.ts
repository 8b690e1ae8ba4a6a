import type { NamesrvOption } from './option-row.js';

const tls = { upstream: [], since: 'rmqns', effect: 'start' } as const;
const file = { ...tls, type: 'string', default: undefined } as const;
/** Of the certificate and the CAs of the server. */
const server = { effect: 'reload' } as const;
const secret = { secret: true } as const;

/** Apache's system properties of TLS, which here are keys as well (reference: remoting 6.1). */
export const tlsOptionRows = {
  'tls.server.mode': {
    ...tls,
    type: 'string',
    default: 'permissive',
    choices: ['disabled', 'permissive', 'enforcing'],
    meaning: 'Whether connections may, must or must not speak TLS: permissive, enforcing, disabled.',
  },
  'tls.config.file': {
    ...tls,
    type: 'string',
    default: '/etc/rocketmq/tls.properties',
    meaning:
      'A file that sets the other keys of TLS over every other source, but for tls.server.mode and tls.enable; it need not be there, and is watched.',
  },
  'tls.test.mode.enable': {
    ...tls,
    type: 'boolean',
    default: undefined,
    meaning:
      'Whether the server makes up a certificate, trusts any client, and its own clients trust any server; by default true unless tls.server.certPath is set.',
  },
  'tls.server.certPath': {
    ...file,
    ...server,
    meaning: 'The certificate, then those between it and its CA, in PEM; watched.',
  },
  'tls.server.keyPath': { ...file, ...server, meaning: 'Its private key in PEM, also encrypted; watched.' },
  'tls.server.keyPassword': { ...file, ...server, ...secret, meaning: 'The password of an encrypted key.' },
  'tls.server.need.client.auth': {
    ...tls,
    ...server,
    type: 'string',
    default: 'none',
    choices: ['none', 'optional', 'require'],
    anyCase: true,
    meaning: 'Whether clients are asked for a certificate, and whether they must have one.',
  },
  'tls.server.authClient': {
    ...tls,
    ...server,
    type: 'boolean',
    default: false,
    meaning: 'Whether the certificate of a client must be of a CA in tls.server.trustCertPath.',
  },
  'tls.server.trustCertPath': {
    ...file,
    ...server,
    meaning: 'CAs of clients, in PEM; the list of Node.js without it; watched.',
  },
  'tls.enable': {
    ...tls,
    type: 'boolean',
    default: undefined,
    meaning:
      "Whether the server's own clients speak TLS; by default when useTLS is true or tls.server.mode is enforcing.",
  },
  'tls.client.certPath': { ...file, meaning: 'The certificate that these clients show.' },
  'tls.client.keyPath': { ...file, meaning: 'Its private key.' },
  'tls.client.keyPassword': { ...file, ...secret, meaning: 'The password of that key.' },
  'tls.client.authServer': {
    ...tls,
    type: 'boolean',
    default: false,
    meaning: 'Whether the certificate of a server must be of a CA in tls.client.trustCertPath.',
  },
  'tls.client.trustCertPath': { ...file, meaning: 'CAs of servers, in PEM; the list of Node.js without it.' },
} as const satisfies Readonly<Record<string, NamesrvOption>>;
