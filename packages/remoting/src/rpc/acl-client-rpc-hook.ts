import { createSecretKey, type KeyObject } from 'node:crypto';
import { encodeUtf8 } from '../buffer/utf8.js';
import type { HeaderSchema } from '../command/custom-header.js';
import type { CommandDefinition } from '../command/define-command.js';
import { createExtFields, type RemotingCommand } from '../command/remoting-command.js';
import { RemotingError, textOfThrown } from '../errors.js';
import { AclField, aclSignature, signedText } from './acl-signature.js';
import type { RpcHook } from './rpc-hook.js';

/** Who signs (upstream: `SessionCredentials`). */
export interface AclCredentials {
  readonly accessKey: string;
  readonly secretKey: string;
  /** For temporary credentials. */
  readonly securityToken?: string | undefined;
}

export interface AclClientRpcHookOptions {
  /**
   * Which fields are signed. `4.9.7` (default, and what 5.3.3 does): all ext fields. `4.7.1`: the access key, the security token and the
   * fields of the request's header, no others. Verifiers of every release look at all ext fields, so the two differ only where
   * something adds fields that are not of the header.
   */
  readonly generation?: '4.7.1' | '4.9.7' | undefined;
  /** The commands whose headers are signed by generation `4.7.1`; requests of other codes count as without header. */
  readonly commands?: readonly Pick<CommandDefinition<HeaderSchema, HeaderSchema>, 'code' | 'request'>[] | undefined;
}

/**
 * Signs every request with an access key and its secret (upstream: `AclClientRPCHook`; reference: remoting 7). Register it last: what a later
 * hook adds is not signed. The signature proves who made the request and that nobody changed it; it does not prove when, so whoever can
 * read the connection can send it again. Use TLS where that matters.
 *
 * @throws RemotingError `INVALID_ARGUMENT` when a key is missing; a call whose request cannot be signed ends with `ENCODE_FAILED`
 */
export class AclClientRpcHook implements RpcHook {
  readonly #accessKey: string;
  readonly #secretKey: KeyObject;
  readonly #securityToken: string | undefined;
  /** Names of header fields by request code; undefined when all ext fields are signed. */
  readonly #headerFields: ReadonlyMap<number, ReadonlySet<string>> | undefined;

  constructor(credentials: AclCredentials, options: AclClientRpcHookOptions = {}) {
    const { accessKey, secretKey, securityToken } = credentials;
    for (const [name, value] of Object.entries({ accessKey, secretKey }))
      if (typeof value !== 'string' || value === '')
        throw new RemotingError('INVALID_ARGUMENT', `a request cannot be signed without ${name}`);
    this.#accessKey = accessKey;
    this.#secretKey = createSecretKey(encodeUtf8(secretKey));
    this.#securityToken = securityToken === '' ? undefined : securityToken;
    if (options.generation !== '4.7.1') return;
    this.#headerFields = new Map(
      options.commands?.map(({ code, request }) => [code, new Set(Object.keys(request))] as const),
    );
  }

  doBeforeRequest(_remoteAddress: string, request: RemotingCommand): void {
    request.extFields ??= createExtFields();
    const fields = request.extFields;
    fields[AclField.ACCESS_KEY] = this.#accessKey;
    if (this.#securityToken !== undefined) fields[AclField.SECURITY_TOKEN] = this.#securityToken;
    try {
      fields[AclField.SIGNATURE] = aclSignature(
        signedText(fields, this.#isSigned(request)),
        request.body,
        this.#secretKey,
      );
    } catch (error) {
      // Upstream's code and words.
      const why = textOfThrown(error);
      const message = `[10015:signature-failed] unable to calculate a request signature. error=${why}`;
      throw new RemotingError('ENCODE_FAILED', message, { cause: error });
    }
  }

  #isSigned({ code }: RemotingCommand): (name: string) => boolean {
    if (this.#headerFields === undefined) return everyField;
    const headerFields = this.#headerFields.get(code);
    return (name) =>
      name === AclField.ACCESS_KEY ||
      (name === AclField.SECURITY_TOKEN && this.#securityToken !== undefined) ||
      headerFields?.has(name) === true;
  }
}

function everyField(): boolean {
  return true;
}
