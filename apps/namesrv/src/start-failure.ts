import { NamesrvError } from '@rmqns/namesrv';
import { RemotingError } from '@rmqns/remoting';
import { describePortOwner } from './port-owner.js';

/**
 * The one sentence for a server that could not start for a reason outside the program: what, why, and what to do.
 * `undefined` for anything else, which is a defect.
 */
export function describeStartFailure(
  error: unknown,
  host: string,
  port: number,
  ownerOf: (port: number) => string | undefined = describePortOwner,
): string | undefined {
  const code = systemCode(error);
  const cannot = `mqnamesrv: cannot listen on ${host.includes(':') ? `[${host}]` : host}:${port}`;
  if (NamesrvError.is(error)) return `mqnamesrv: ${error.message}`;
  switch (code) {
    case 'EADDRINUSE': {
      const owner = ownerOf(port);
      const who = owner === undefined ? 'another process' : owner;
      const hint = owner === undefined ? ' (ss -ltnp, as root, shows which it is)' : '';
      return `${cannot}: ${who} listens there already; stop it${hint} or choose another port with --port`;
    }
    case 'EACCES':
    case 'EPERM':
      return `${cannot}: this user may not use that port; choose one above 1023 with --port`;
    case 'EADDRNOTAVAIL':
    case 'EAFNOSUPPORT':
      return `${cannot}: this machine has no such address; choose one of its own with --bind`;
    case 'ENOTFOUND':
    case 'EAI_AGAIN':
      return `${cannot}: the name has no address; choose an address of this machine with --bind`;
    default:
      return RemotingError.is(error) && error.code === 'BIND_FAILED' ? `${cannot}: ${error.message}` : undefined;
  }
}

/** The operating system's code, of the error or of what lies beneath it. */
function systemCode(error: unknown): string | undefined {
  for (let at = error, depth = 0; at instanceof Error && depth < 8; at = at.cause, depth++) {
    const { code, syscall } = at as NodeJS.ErrnoException;
    if (typeof code === 'string' && typeof syscall === 'string') return code;
  }
  return undefined;
}
