import { resolve } from 'node:path';
import { describeFileError } from '@rmqns/program';
import type { TlsClientOptions } from '@rmqns/remoting';
import { z } from 'zod';
import { readSmallFile } from './read-small-file.js';
import type { Complain } from './resolve-addresses.js';
import { duration, flag, text } from './yaml-values.js';

/** The section `namesrv.tls`: what the client's TLS of remoting can be given, in its words. */
export const tlsYamlSchema = z
  .strictObject(
    {
      trustCertPath: text.optional(),
      certPath: text.optional(),
      keyPath: text.optional(),
      keyPasswordFile: text.optional(),
      authServer: flag.default(true),
      verifyHostname: flag.default(false),
      servername: text.optional(),
      testMode: flag.default(false),
      handshakeTimeout: duration(1, 60_000).prefault('10s'),
      reloadInterval: duration(0, 3_600_000).prefault('500ms'),
    },
    'must hold keys; write {} for the defaults, and leave it out for no TLS',
  )
  .refine(({ certPath, keyPath }) => (certPath === undefined) === (keyPath === undefined), {
    error: 'certPath and keyPath must stand together: a certificate is shown with its key',
  })
  .refine(({ authServer, verifyHostname }) => authServer || !verifyHostname, {
    error: 'must be false where authServer is: a name says nothing in a certificate that anybody may have made',
    path: ['verifyHostname'],
  });

/** A password is a line. */
const MAX_PASSWORD_BYTES = 4_096;

/** The section as remoting has it; the password is read now, and again with the configuration. */
export function toTlsConfig(written: z.output<typeof tlsYamlSchema>, complain: Complain): TlsClientOptions {
  const { trustCertPath, certPath, keyPath, keyPasswordFile, servername } = written;
  const { authServer, verifyHostname, testMode, handshakeTimeout, reloadInterval } = written;
  const paths = Object.entries({ trustCertPath, certPath, keyPath }).flatMap(([name, path]) =>
    path === undefined ? [] : [[name, resolve(path)]],
  );
  const keyPassword =
    keyPasswordFile === undefined
      ? undefined
      : readPassword(resolve(keyPasswordFile), (problem) => complain(['namesrv', 'tls', 'keyPasswordFile'], problem));
  return {
    ...Object.fromEntries(paths),
    ...(keyPassword === undefined ? {} : { keyPassword }),
    ...(servername === undefined ? {} : { servername }),
    authServer,
    verifyHostname,
    testMode,
    handshakeTimeoutMillis: handshakeTimeout,
    reloadIntervalMillis: reloadInterval,
  };
}

function readPassword(path: string, complain: (problem: string) => void): string | undefined {
  try {
    return readSmallFile(path, MAX_PASSWORD_BYTES)
      .toString('utf8')
      .replace(/\r?\n$/, '');
  } catch (error) {
    complain(`cannot read ${path}: ${describeFileError(error)}`);
    return undefined;
  }
}
