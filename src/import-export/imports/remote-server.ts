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

/** What another server answers instead of what was asked for. */
export class RemoteRefusal extends Error {
  override name = 'RemoteRefusal';
  readonly status: number;

  constructor(status: number) {
    super(`The other server answers with status ${status}.`);
    this.status = status;
  }
}

/** The API of another server, asked with an access token. Every address is checked, and no redirect is followed. */
export class RemoteServer {
  readonly #deps: Deps;
  readonly #base: string;
  readonly #token: string;
  readonly #signal: AbortSignal;

  /** @param url its base address, without a trailing slash */
  constructor(deps: Deps, url: string, token: string, signal: AbortSignal) {
    this.#deps = deps;
    this.#base = `${url}/api/v4`;
    this.#token = token;
    this.#signal = signal;
  }

  /**
   * The body of an answer, to be read or destroyed.
   * @throws RemoteRefusal, RetryLater where it asks for patience, BlockedAddress; what the connection fails with
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
      throw new RetryLater(Math.min(pause, MAX_PAUSE_MS), `the other server answers with status ${status}`);
    }
    throw new RemoteRefusal(status);
  }

  /** @throws as `open` does; SyntaxError for what is no JSON */
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

  /** One object; null where there is none. */
  async find(path: string): Promise<ImportedObject | null> {
    try {
      const found = await this.json('GET', path);
      return isImportedObject(found) ? found : null;
    } catch (error) {
      if (error instanceof RemoteRefusal && error.status === 404) return null;
      throw error;
    }
  }

  /** The objects of a list, a page at a time. @param limit after so many it ends */
  async *list(path: string, limit: number): AsyncGenerator<ImportedObject> {
    let count = 0;
    for (let page = 1; count < limit; page += 1) {
      const query = `${path.includes('?') ? '&' : '?'}per_page=${PAGE}&page=${page}`;
      const found = await this.json('GET', `${path}${query}`);
      if (!Array.isArray(found)) return;
      for (const each of found) {
        count += 1;
        if (count > limit) return;
        if (isImportedObject(each)) yield each;
      }
      if (found.length < PAGE) return;
    }
  }
}
