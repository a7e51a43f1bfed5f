import type { IncomingMessage } from 'node:http';
import { RetryLater } from '../../core/retry-later.ts';
import type { Deps } from '../../deps.ts';
import { requestExternal } from '../../outbound/outbound.request.ts';
import { parseHttpUrl } from '../../outbound/outbound.resolve.ts';
import { outboundRules } from '../../settings/outbound-rules.ts';
import { type ImportedObject, isImportedObject } from './coerce-import.ts';

const MAX_JSON = 8 * 1024 * 1024;
const IDLE_MS = 60_000;
const JSON_MS = 60_000;
const PAGE = 100;
const DEFAULT_PAUSE_MS = 60_000;
const MAX_PAUSE_MS = 600_000;

/** Error response of the source server. */
export class RemoteRefusal extends Error {
  override name = 'RemoteRefusal';
  readonly status: number;

  constructor(status: number) {
    super(`The source server answered with status ${status}.`);
    this.status = status;
  }
}

/** Client of the API of the source server, with an access token. Checks every address and follows no redirects. */
export class RemoteServer {
  readonly #deps: Deps;
  readonly #base: string;
  readonly #token: string;
  readonly #signal: AbortSignal;

  /** @param url base URL, without a trailing slash */
  constructor(deps: Deps, url: string, token: string, signal: AbortSignal) {
    this.#deps = deps;
    this.#base = `${url}/api/v4`;
    this.#token = token;
    this.#signal = signal;
  }

  /**
   * Opens a response body, which must be read or destroyed.
   * @throws RemoteRefusal; RetryLater if the server is overloaded; BlockedAddress; errors of the connection
   */
  async open(method: 'GET' | 'POST', path: string, signal = this.#signal): Promise<IncomingMessage> {
    const answer = await requestExternal(parseHttpUrl(`${this.#base}${path}`), await outboundRules(this.#deps), {
      method,
      headers: { 'private-token': this.#token, accept: '*/*', 'accept-encoding': 'identity' },
      signal,
      idleMs: IDLE_MS,
    });
    const { statusCode: status = 0, headers } = answer;
    if (status >= 200 && status < 300) return answer;
    answer.destroy();
    if (status === 429 || status === 503) {
      const seconds = Number(headers['retry-after']);
      const pause = Number.isFinite(seconds) && seconds > 0 ? seconds * 1_000 : DEFAULT_PAUSE_MS;
      throw new RetryLater(Math.min(pause, MAX_PAUSE_MS), `the source server answered with status ${status}`);
    }
    throw new RemoteRefusal(status);
  }

  /** @throws like `open`; SyntaxError for invalid JSON */
  async json(method: 'GET' | 'POST', path: string): Promise<unknown> {
    const signal = AbortSignal.any([this.#signal, AbortSignal.timeout(JSON_MS)]);
    const answer = await this.open(method, path, signal);
    const chunks: Buffer[] = [];
    let bytes = 0;
    try {
      for await (const chunk of answer as AsyncIterable<Buffer>) {
        bytes += chunk.length;
        if (bytes > MAX_JSON) throw new RemoteRefusal(413);
        chunks.push(chunk);
      }
    } finally {
      answer.destroy();
    }
    return JSON.parse(Buffer.concat(chunks).toString());
  }

  /** Gets one object; null if it does not exist. */
  async find(path: string): Promise<ImportedObject | null> {
    try {
      const object = await this.json('GET', path);
      return isImportedObject(object) ? object : null;
    } catch (error) {
      if (error instanceof RemoteRefusal && error.status === 404) return null;
      throw error;
    }
  }

  /** Gets the objects of a list, page by page. @param limit maximum number of objects */
  async *list(path: string, limit: number): AsyncGenerator<ImportedObject> {
    let count = 0;
    for (let page = 1; count < limit; page += 1) {
      const query = `${path.includes('?') ? '&' : '?'}per_page=${PAGE}&page=${page}`;
      const rows = await this.json('GET', `${path}${query}`);
      if (!Array.isArray(rows)) return;
      for (const each of rows) {
        count += 1;
        if (count > limit) return;
        if (isImportedObject(each)) yield each;
      }
      if (rows.length < PAGE) return;
    }
  }
}
