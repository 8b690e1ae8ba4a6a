import { ConnectError } from '../errors.js';

/**
 * TLS that does not come about: a handshake that fails or takes too long, a certificate that is not trusted, a peer that speaks TLS where
 * it is not spoken or does not where it is wanted. Nothing that was written was sent.
 */
export class TlsError extends ConnectError {
  /** `reason` goes on from "TLS with host:port failed: ". */
  constructor(address: string, reason: string, cause?: unknown) {
    super(`TLS with ${address} failed: ${reason}`, { address, cause });
  }

  override get name(): string {
    return 'TlsError';
  }
}

/** What an error of Node's TLS means, and what to do about it. */
export function tlsReason(error: Error & { code?: string; reason?: string }): string {
  const { code = '', message, reason = message } = error;
  if (untrusted.has(code)) return `the peer's certificate is not trusted (${code}); check the trust certificates`;
  switch (code) {
    case 'CERT_HAS_EXPIRED':
    case 'CERT_NOT_YET_VALID':
      return `the peer's certificate is not valid at this time (${code})`;
    case 'ERR_TLS_CERT_ALTNAME_INVALID':
      return `the peer's certificate is for another name: ${message}`;
    case 'ERR_SSL_WRONG_VERSION_NUMBER':
    case 'ERR_SSL_PACKET_LENGTH_TOO_LONG':
    case 'ERR_SSL_HTTP_REQUEST':
      return `what the peer sent is not TLS (${reason})`;
    case 'ERR_SSL_PEER_DID_NOT_RETURN_A_CERTIFICATE':
      return 'the peer presented no certificate, and one is required';
    case 'ERR_SSL_TLSV13_ALERT_CERTIFICATE_REQUIRED':
    case 'ERR_SSL_SSLV3_ALERT_BAD_CERTIFICATE':
    case 'ERR_SSL_TLSV1_ALERT_UNKNOWN_CA':
    case 'ERR_SSL_SSLV3_ALERT_CERTIFICATE_UNKNOWN':
      return `the peer does not accept our certificate, or wants one (${reason})`;
    case 'ECONNRESET':
      return 'the connection ended during the handshake; the peer may not take TLS here, or not our certificate';
    default:
      return reason;
  }
}

const untrusted = new Set([
  'DEPTH_ZERO_SELF_SIGNED_CERT',
  'SELF_SIGNED_CERT_IN_CHAIN',
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
  'UNABLE_TO_GET_ISSUER_CERT',
  'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
  'CERT_SIGNATURE_FAILURE',
  'CERT_UNTRUSTED',
  'CERT_REVOKED',
  'INVALID_CA',
]);
