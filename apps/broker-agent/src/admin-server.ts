import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { formatSocketAddress } from '@rmqns/remoting';
import { isAllowedHost } from './admin-host.js';
import type { AdminConfig } from './agent-config.js';

/** What is served at a path, made anew for each request. */
export interface AdminPage {
  readonly status?: number | undefined;
  readonly contentType: string;
  readonly body: string;
}

export type AdminPages = ReadonlyMap<string, () => AdminPage | Promise<AdminPage>>;

/** More at once are refused. */
const MAX_CONNECTIONS = 64;
/** For the head of a request, and for a connection between requests. */
const TIMEOUT_MILLIS = 5_000;

/**
 * The pages of an operator over HTTP, to be read and nothing else. A browser that was led here by a name of somebody else's is refused by the
 * name, so that no web page reads what is meant for this machine.
 */
export class AdminServer {
  readonly #config: AdminConfig;
  readonly #pages: AdminPages;
  readonly #server: Server;

  constructor(config: AdminConfig, pages: AdminPages) {
    this.#config = config;
    this.#pages = pages;
    this.#server = createServer(
      { headersTimeout: TIMEOUT_MILLIS, requestTimeout: TIMEOUT_MILLIS, keepAliveTimeout: TIMEOUT_MILLIS },
      (request, response) => void this.#answer(request, response),
    );
    this.#server.maxConnections = MAX_CONNECTIONS;
  }

  /** `host:port`, once it was started. */
  get address(): string {
    const address = this.#server.address();
    return address === null || typeof address === 'string' ? '' : formatSocketAddress(address.address, address.port);
  }

  /** @throws Error with a sentence when the port cannot be had */
  start(): Promise<void> {
    const { bind, port } = this.#config;
    return new Promise((resolve, reject) => {
      this.#server.once('error', (error: NodeJS.ErrnoException) => {
        const where = formatSocketAddress(bind, port);
        reject(new Error(`cannot serve the admin pages at ${where}: ${describeListenError(error)}`, { cause: error }));
      });
      this.#server.listen(port, bind, () => {
        this.#server.removeAllListeners('error').on('error', () => {});
        resolve();
      });
    });
  }

  /** Ends also what is being answered. Twice is as good as once. */
  close(): Promise<void> {
    return new Promise((resolve) => {
      this.#server.close(() => resolve());
      this.#server.closeAllConnections();
    });
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    let page: AdminPage;
    try {
      page = await this.#pageOf(request);
    } catch (error) {
      page = text(500, error instanceof Error ? error.message : String(error));
    }
    const { status = 200, contentType, body } = page;
    const isBroken = request.method !== 'GET';
    response.writeHead(status, {
      'content-type': contentType,
      'content-length': Buffer.byteLength(body),
      'cache-control': 'no-store',
      'x-content-type-options': 'nosniff',
      ...(status === 405 ? { allow: 'GET' } : {}),
      // A body that nobody reads would be taken for the next request.
      ...(isBroken ? { connection: 'close' } : {}),
    });
    response.end(body);
  }

  async #pageOf({ headers, method, url = '/' }: IncomingMessage): Promise<AdminPage> {
    const { host = '' } = headers;
    if (!isAllowedHost(host, this.#config.hosts))
      return text(
        403,
        `the name ${JSON.stringify(host)} is none of this agent's; ask by address, or list it in admin.hosts`,
      );
    if (method !== 'GET') return text(405, 'only GET is answered');
    const path = url.split('?', 1)[0] ?? '/';
    const page = this.#pages.get(path);
    return page === undefined ? text(404, `there are ${[...this.#pages.keys()].join(', ')}`) : await page();
  }
}

/** A page of one sentence. */
export function text(status: number, body: string): AdminPage {
  return { status, contentType: 'text/plain; charset=utf-8', body: `${body}\n` };
}

function describeListenError({ code, message }: NodeJS.ErrnoException): string {
  if (code === 'EADDRINUSE') return 'the port is in use; set another one as admin.port or by --admin-port, 0 for none';
  if (code === 'EACCES') return 'this user may not open the port; take one above 1023';
  if (code === 'EADDRNOTAVAIL') return 'this machine does not have the address; see admin.bind';
  return code ?? message;
}
