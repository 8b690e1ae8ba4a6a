import { describeFileError } from '@rmqns/program';
import { TlsClientContext, type TlsClientOptions } from '@rmqns/remoting';
import type { AgentConfig } from './agent-config.js';
import { secretKeyOf } from './file-credentials.js';
import { readSmallFile } from './read-small-file.js';

/** A file that the configuration names cannot be used as it is now. */
export interface FileProblem {
  /** The key of the agent's YAML. */
  readonly key: readonly string[];
  readonly problem: string;
}

/** No certificate or key comes near it; what is no file would be waited for. */
const MAX_BYTES = 1 << 20;

/**
 * What `validate` says of the files by which the agent deals with name servers. A running agent waits for them instead, since they may come
 * after it and change under it.
 */
export function problemsOfFiles({ namesrvTls, namesrvCredentials }: AgentConfig): FileProblem[] {
  return [
    ...(namesrvTls === undefined ? [] : problemsOfTls(namesrvTls)),
    ...(namesrvCredentials === undefined ? [] : problemsOfSecretKey(namesrvCredentials.secretKeyFile)),
  ];
}

function problemsOfSecretKey(path: string): FileProblem[] {
  try {
    secretKeyOf(readSmallFile(path, MAX_BYTES));
    return [];
  } catch (error) {
    const problem = `cannot read ${path}: ${describeFileError(error)}`;
    return [{ key: ['namesrv', 'credentials', 'secretKeyFile'], problem }];
  }
}

function problemsOfTls(tls: TlsClientOptions): FileProblem[] {
  const { trustCertPath, certPath, keyPath, keyPassword, authServer = true, verifyHostname = false } = tls;
  if (tls.testMode === true) return [];
  const problems: FileProblem[] = [];
  const read = (name: string, path: string | undefined): Buffer | undefined => {
    if (path === undefined) return undefined;
    try {
      return readSmallFile(path, MAX_BYTES);
    } catch (error) {
      problems.push({ key: ['namesrv', 'tls', name], problem: `cannot read ${path}: ${describeFileError(error)}` });
      return undefined;
    }
  };
  const trust = read('trustCertPath', trustCertPath);
  const cert = read('certPath', certPath);
  const key = read('keyPath', keyPath);
  if (problems.length > 0) return problems;
  try {
    new TlsClientContext({ trust, cert, key, keyPassword }, { authServer, verifyHostname });
  } catch (error) {
    problems.push({ key: ['namesrv', 'tls'], problem: `the files cannot be used: ${describeFileError(error)}` });
  }
  return problems;
}
