import { randomBytes, timingSafeEqual } from 'node:crypto';
import type { RemotingCommand } from '../command/remoting-command.js';
import { CommandError } from '../errors.js';
import { AclField, aclSignature, signedText } from './acl-signature.js';
import type { RpcHook } from './rpc-hook.js';

export interface AclServerRpcHookOptions {
  /** The secret of an access key; `undefined` when there is none, or when the security token (of temporary credentials) is not right for it. */
  readonly secretOf: (accessKey: string, securityToken: string | undefined) => string | undefined;
  /** Whether a request must be signed; default all. A request that need not be is not looked at. */
  readonly isRequired?: ((request: RemotingCommand) => boolean) | undefined;
  /**
   * Which release decides whether the field `_UNIQUE_KEY_QUERY` is signed: for `5.3.3` (default) it is for callers after 4.9.3, for `4.x`
   * it never is.
   */
  readonly generation?: '4.x' | '5.3.3' | undefined;
}

const UNIQUE_KEY_QUERY = '_UNIQUE_KEY_QUERY';
/** MQVersion ordinal of 4.9.3. */
const VERSION_4_9_3 = 399;
/** Upstream's response code, and that of its 5.3.3 for a caller who is not who he says. */
const NO_PERMISSION = 16;

/**
 * Lets requests through whose signature is right, those of {@link AclClientRpcHook} or upstream's of all releases (upstream: `AclUtils` and
 * `PlainAccessValidator`; reference: remoting 7.2). Others are answered with NO_PERMISSION (16) and do not reach their processor. What a caller
 * may do is not this hook's: the access key is in the request for those that decide it.
 *
 * An access key that nobody has is answered as a wrong signature is, and takes as long. A request that was seen on the connection can be
 * sent again, as with upstream's: nothing in it says when it was made.
 */
export class AclServerRpcHook implements RpcHook {
  readonly #secretOf: AclServerRpcHookOptions['secretOf'];
  readonly #isRequired: AclServerRpcHookOptions['isRequired'];
  readonly #generation: '4.x' | '5.3.3';
  /** Stands in for the secret of an access key that does not exist. */
  readonly #noSecret = randomBytes(16).toString('hex');

  constructor(options: AclServerRpcHookOptions) {
    this.#secretOf = options.secretOf;
    this.#isRequired = options.isRequired;
    this.#generation = options.generation ?? '5.3.3';
  }

  /** @throws CommandError NO_PERMISSION */
  doBeforeRequest(_remoteAddress: string, request: RemotingCommand): void {
    if (this.#isRequired?.(request) === false) return;
    const fields = request.extFields ?? {};
    const accessKey = fields[AclField.ACCESS_KEY];
    const signature = fields[AclField.SIGNATURE];
    if (accessKey === undefined || accessKey === '')
      throw new CommandError(NO_PERMISSION, 'No accessKey is configured');
    if (signature === undefined || signature === '') throw new CommandError(NO_PERMISSION, 'No signature is given');
    const secret = this.#secretOf(accessKey, fields[AclField.SECURITY_TOKEN]);
    const signsUniqueKey = this.#generation === '5.3.3' && request.version > VERSION_4_9_3;
    const text = signedText(fields, (name) => signsUniqueKey || name !== UNIQUE_KEY_QUERY);
    // An empty secret would be one that everybody knows.
    const isKnown = secret !== undefined && secret !== '';
    const expected = aclSignature(text, request.body, isKnown ? secret : this.#noSecret);
    const isRight = isEqual(expected, signature) && isKnown;
    if (!isRight)
      throw new CommandError(NO_PERMISSION, `Check signature failed for accessKey=${accessKey.slice(0, 128)}`);
  }
}

/** In a time that does not depend on where they differ. */
function isEqual(expected: string, given: string): boolean {
  const a = Buffer.from(expected);
  const b = Buffer.from(given);
  return a.length === b.length && timingSafeEqual(a, b);
}
