import { createPrivateKey, X509Certificate } from 'node:crypto';
import type { Clock, Timer } from '../clock.js';
import { textOfThrown } from '../errors.js';
import type { TlsContext, TlsMaterial } from './tls-context.js';
import { readTlsFiles } from './tls-files.js';
import type { TlsFileOptions } from './tls-options.js';

/** The files of TLS changed: new connections use what is in them now, or it could not be used and all stays as it was. */
export interface TlsReloadEvent {
  readonly ok: boolean;
  /** A sentence for a log; no key or password is in it. */
  readonly message: string;
  /** Of the own certificate, where there is one and `ok`. */
  readonly serialNumber?: string | undefined;
  readonly subject?: string | undefined;
  /** As X509Certificate prints it: `Nov 30 00:00:00 2026 GMT`. */
  readonly validTo?: string | undefined;
  /** Why not. */
  readonly error?: Error | undefined;
}

export interface TlsContextProviderInit {
  readonly files: TlsFileOptions;
  /** Default 0: the files are not looked at again. */
  readonly reloadIntervalMillis?: number | undefined;
  readonly clock: Clock;
  /** Makes a context; throws when it cannot be made of this. */
  readonly build: (material: TlsMaterial) => TlsContext;
  readonly onReload?: ((event: TlsReloadEvent) => void) | undefined;
  /** In use until the files give one. */
  readonly initial?: TlsContext | undefined;
}

/**
 * The TLS context of the moment, made of files and made anew when they change (upstream: `TlsSystemConfig` with its `FileWatchService`;
 * reference: remoting 6.3).
 *
 * The contents are compared, not the names or times, so it does not matter how a file is replaced: written over, renamed into its place, or
 * by a link somewhere on the way that points elsewhere. Upstream waits until certificate and key have both changed; here a new pair is
 * taken as soon as the two match, so a certificate that is renewed for the same key counts. What cannot be used, because it does not match or
 * cannot be read, changes nothing, and is told once for each content: at the second look at it, since the first may fall between the writing
 * of two files.
 */
export class TlsContextProvider {
  readonly #init: TlsContextProviderInit;
  #current: TlsContext | undefined;
  #applied: string | undefined;
  /** What failed at the last look, and what was told of. */
  #suspect: string | undefined;
  #told: Attempt | undefined;
  #loading: Promise<void> | undefined;
  #timer: Timer | undefined;
  #looking: Promise<void> | undefined;
  #closed = false;

  constructor(init: TlsContextProviderInit) {
    this.#init = init;
    this.#current = init.initial;
  }

  /** Undefined until one could be made. */
  get current(): TlsContext | undefined {
    return this.#current;
  }

  /** The context of the moment, made now when there is none yet. @throws what keeps it from being made */
  async get(): Promise<TlsContext> {
    if (this.#current !== undefined) return this.#current;
    this.#loading ??= this.#load().finally(() => {
      this.#loading = undefined;
    });
    await this.#loading;
    if (this.#current === undefined) throw new Error('there is no TLS context');
    return this.#current;
  }

  /** Looks at the files from now on; the timer holds no process. */
  watch(): void {
    const { reloadIntervalMillis = 0, clock } = this.#init;
    if (reloadIntervalMillis === 0 || this.#closed) return;
    this.#timer ??= clock.setInterval(() => void this.check(), reloadIntervalMillis, true);
  }

  /** One look at the files; while one is under way it is that one. Never rejects. */
  check(): Promise<void> {
    this.#looking ??= this.#look(false).finally(() => {
      this.#looking = undefined;
    });
    return this.#looking;
  }

  /** One look at the files that somebody asked for: what comes of it is told, whatever it is. Never rejects. */
  async reload(): Promise<void> {
    await this.#looking;
    this.#looking = this.#look(true).finally(() => {
      this.#looking = undefined;
    });
    await this.#looking;
  }

  /** Looks no more. What was made stays usable. */
  close(): void {
    this.#closed = true;
    this.#timer?.cancel();
  }

  async #load(): Promise<void> {
    const { seen, error } = await this.#attempt();
    if (error === undefined) this.#applied = seen;
    else if (this.#current === undefined) {
      this.#told = { seen, error };
      throw error;
    }
  }

  async #look(isAsked: boolean): Promise<void> {
    const { seen, error, certificate } = await this.#attempt();
    if (this.#closed) return;
    if (error === undefined) {
      this.#suspect = undefined;
      this.#told = undefined;
      if (seen !== this.#applied) {
        this.#applied = seen;
        this.#tell(reloaded(certificate));
      } else if (isAsked) this.#tell({ ok: true, message: 'TLS files are as they were' });
    } else if (!isAsked && seen !== this.#told?.seen && seen !== this.#suspect) {
      this.#suspect = seen;
    } else if (isAsked || seen !== this.#told?.seen) {
      this.#told = { seen, error };
      const kept = this.#current === undefined ? '' : '; those before stay in use';
      this.#tell({ ok: false, message: `TLS files cannot be used: ${error.message}${kept}`, error });
    }
  }

  /** Takes what the files hold, if it is new and can be used. */
  async #attempt(): Promise<Attempt> {
    let seen: string | undefined;
    try {
      const files = await readTlsFiles(this.#init.files);
      seen = files.digest;
      if (this.#closed || seen === this.#applied) return { seen };
      if (seen === this.#told?.seen) return this.#told;
      const certificate = checkPair(files);
      this.#current = this.#init.build(files);
      return { seen, certificate };
    } catch (thrown) {
      const error = thrown instanceof Error ? thrown : new Error(textOfThrown(thrown));
      return { seen: seen ?? error.message, error };
    }
  }

  #tell(event: TlsReloadEvent): void {
    this.#init.onReload?.(event);
  }
}

interface Attempt {
  /** What the files hold, or why they cannot be read. */
  readonly seen: string;
  readonly error?: Error | undefined;
  readonly certificate?: X509Certificate | undefined;
}

function reloaded(certificate: X509Certificate | undefined): TlsReloadEvent {
  if (certificate === undefined) return { ok: true, message: 'TLS files reloaded; new connections use them' };
  const { serialNumber, validTo } = certificate;
  const subject = certificate.subject?.replaceAll('\n', ', ') ?? '';
  const message = `TLS files reloaded; new connections use the certificate of ${subject}, serial ${serialNumber}, valid to ${validTo}`;
  return { ok: true, message, serialNumber, subject, validTo };
}

/** @throws Error that says what is wrong with certificate and key, or that they are not a pair */
function checkPair({ cert, key, keyPassword }: TlsMaterial): X509Certificate | undefined {
  if (cert === undefined && key === undefined) return undefined;
  if (cert === undefined || key === undefined) throw new Error('certPath and keyPath go together; one is missing');
  const certificate = attempt('the certificate cannot be read', () => new X509Certificate(cert));
  const privateKey = attempt('the private key cannot be read, or its password is wrong', () =>
    createPrivateKey({ key, ...(keyPassword === undefined ? {} : { passphrase: keyPassword }) }),
  );
  if (!certificate.checkPrivateKey(privateKey)) throw new Error('the private key is not that of the certificate');
  return certificate;
}

function attempt<T>(what: string, task: () => T): T {
  try {
    return task();
  } catch (thrown) {
    throw new Error(what, { cause: thrown });
  }
}
