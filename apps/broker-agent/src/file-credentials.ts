import { describeFileError } from '@rmqns/program';
import {
  AclClientRpcHook,
  type Clock,
  type Logger,
  type RemotingCommand,
  RemotingError,
  type RpcHook,
} from '@rmqns/remoting';
import { PolledValue } from './polled-value.js';
import { readRegularFile } from './read-regular-file.js';

/** Who signs what name servers are asked. */
export interface CredentialsConfig {
  readonly accessKey: string;
  /** Holds the secret key, which is never shown. */
  readonly secretKeyFile: string;
}

/** No key comes near it. */
const MAX_BYTES = 64 << 10;
/** A key that is replaced is used so much later at most; one that is not there yet is looked for as often. */
const EVERY_MILLIS = 5_000;
const TIMEOUT_MILLIS = 3_000;

/** A key, and what signs with it. */
interface Signing {
  readonly secretKey: string;
  readonly hook: AclClientRpcHook;
}

/**
 * Signs every request with the secret key of a file (upstream: `AclClientRPCHook`). The file may come after the agent and may be replaced; as
 * long as it holds no key the last one is used, and before the first one no request is sent.
 */
export class FileCredentials implements RpcHook {
  readonly accessKey: string;
  readonly #file: PolledValue<Signing>;

  constructor(
    { accessKey, secretKeyFile }: CredentialsConfig,
    { clock, logger }: { readonly clock: Clock; readonly logger: Logger },
    read = readRegularFile,
  ) {
    this.accessKey = accessKey;
    // A dead file system keeps a thread for each read: one is enough to wait with.
    let reading: Promise<Buffer> | undefined;
    this.#file = new PolledValue({
      name: secretKeyFile,
      everyMillis: EVERY_MILLIS,
      timeoutMillis: TIMEOUT_MILLIS,
      clock,
      logger,
      ask: async () => {
        reading ??= read(secretKeyFile).finally(() => {
          reading = undefined;
        });
        const secretKey = secretKeyOf(
          await reading.catch((cause: unknown) => {
            throw new Error(describeFileError(cause), { cause });
          }),
        );
        return { secretKey, hook: new AclClientRpcHook({ accessKey, secretKey }) };
      },
      isSame: (before, now) => before.secretKey === now.secretKey,
      lines: {
        again: 'the secret key can be read again',
        none: 'the secret key cannot be read, nothing is sent before',
        stays: 'the secret key cannot be read, the last one stays',
        fields: (file) => ({ file, accessKey }),
      },
    });
  }

  /** The file. */
  get name(): string {
    return this.#file.name;
  }

  /** Whether requests can be signed. */
  get isReady(): boolean {
    return this.#file.current !== undefined;
  }

  /** Why the last look at the file was not good. */
  get problem(): string | undefined {
    return this.#file.problem;
  }

  /** Settles after the first look, good or not. `onChange` is called when there is another key after that. */
  start(onChange: () => void): Promise<void> {
    return this.#file.start(onChange);
  }

  /** Looks now. Settles when it is known what the file holds. */
  look(): Promise<void> {
    return this.#file.look();
  }

  close(): void {
    this.#file.close();
  }

  doBeforeRequest(remoteAddress: string, request: RemotingCommand): void {
    const { current, problem = 'it was not read yet', name } = this.#file;
    if (current === undefined)
      throw new RemotingError(
        'ENCODE_FAILED',
        `no request is sent without a signature: the secret key of ${name}: ${problem}`,
      );
    current.hook.doBeforeRequest(remoteAddress, request);
  }
}

/** The text of the file without blanks around, such as the end of its line. @throws an error with a sentence */
export function secretKeyOf(bytes: Buffer): string {
  if (bytes.length > MAX_BYTES) throw new Error(`it has ${bytes.length} bytes, more than ${MAX_BYTES}`);
  const secretKey = bytes.toString('utf8').trim();
  if (secretKey === '') throw new Error('it is empty');
  return secretKey;
}
