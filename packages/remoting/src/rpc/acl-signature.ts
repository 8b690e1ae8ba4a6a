import { createHmac, type KeyObject } from 'node:crypto';
import { encodeUtf8 } from '../buffer/utf8.js';
import type { ExtFields } from '../command/remoting-command.js';

/** Ext fields of a signed request (upstream: `SessionCredentials`; reference: remoting 7.1). */
export const AclField = {
  ACCESS_KEY: 'AccessKey',
  SECURITY_TOKEN: 'SecurityToken',
  SIGNATURE: 'Signature',
} as const;

/**
 * What is signed: the values of the fields in the order of their names by UTF-16 code units, nothing between them, without the signature
 * itself (upstream: `combineRequestContent`; reference: remoting 7.2). The body's bytes come behind it.
 *
 * @param isSigned which other fields count
 */
export function signedText(fields: Readonly<ExtFields>, isSigned: (name: string) => boolean): string {
  let text = '';
  for (const name of Object.keys(fields).sort())
    if (name !== AclField.SIGNATURE && isSigned(name)) text += fields[name] ?? '';
  return text;
}

/** HMAC-SHA1 of a text in UTF-8 and a body, in base64 with padding (upstream: `AclSigner.calSignature`). */
export function aclSignature(text: string, body: Uint8Array | undefined, secretKey: string | KeyObject): string {
  const hmac = createHmac('sha1', secretKey).update(encodeUtf8(text));
  if (body !== undefined) hmac.update(body);
  return hmac.digest('base64');
}
