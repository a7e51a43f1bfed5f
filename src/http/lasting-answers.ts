import type { IncomingMessage, ServerResponse } from 'node:http';
import { Kept } from '../core/kept.ts';
import type { Deps } from '../deps.ts';
import type { FixedAnswer } from './answers.ts';
import { SECURITY_HEADERS } from './security-headers.ts';
import { matchesEtag, PRIVATE } from './send.ts';

const MOST_BYTES = 16 * 1024 * 1024;
/** Larger ones are sent in the ordinary way, in which clients that do not take them are noticed. */
const MOST_OF_ONE = 64 * 1024;
const MAX_KEY = 2_000;

/** An answer that the same request gets again, with what its line in the log says. */
export interface LastingAnswer {
  answer: FixedAnswer;
  /** Template of its route. */
  route: string;
  /** Its address as the log shows it. */
  path: string;
}

interface Entry extends LastingAnswer {
  /** What the database was when the request was let in. */
  version: number;
  /** Headers of the answer and of its 304, names and values in turn. */
  flat: readonly string[];
  unchanged: readonly string[];
}

const security = Object.entries(SECURITY_HEADERS).flat();

/**
 * Answers to questions that clients ask again and again, such as polls: who asked the same at the same state of the database
 * is answered before routing, rights and everything else are looked at, since all of that would come out the same. Where the
 * engine cannot tell its state (PostgreSQL), where requests are counted or come from proxies, nothing is answered so.
 */
export class LastingAnswers {
  readonly #deps: Deps;
  readonly #headers: readonly string[];
  readonly #entries: Kept<string, Entry>;

  /** @param headers all that any such answer depends on beside the address, in lower case */
  constructor(deps: Deps, headers: readonly string[]) {
    this.#deps = deps;
    this.#headers = headers;
    const sizeOf = ({ answer }: Entry, key: string) => answer.json.body.length + key.length * 2 + 1_000;
    this.#entries = new Kept(MOST_BYTES, sizeOf, { mostOfOne: MOST_OF_ONE });
  }

  /** State of the database; null where no answer lasts. */
  version(): number | null {
    const { config, database, settings } = this.#deps;
    const { now } = settings;
    const counted = now.throttle_authenticated_api_enabled || now.throttle_unauthenticated_api_enabled;
    return counted || config.trustedProxies.length > 0 ? null : database.version();
  }

  /**
   * Keeps an answer for as long as nothing is committed.
   * @param version of the database before anything was looked at for it
   */
  keep(request: IncomingMessage, version: number | null, lasting: LastingAnswer): void {
    const key = this.#keyOf(request);
    if (key === null || version === null || version !== this.version()) return;
    const { json, flat } = lasting.answer;
    const unchanged = [...security, 'ETag', json.etag, 'Cache-Control', PRIVATE];
    this.#entries.set(key, { ...lasting, version, flat: [...flat, ...security], unchanged });
  }

  /** What the request was answered with last, when that is still so. */
  find(request: IncomingMessage): LastingAnswer | undefined {
    if (this.#entries.size === 0 || this.#deps.database.onDisk() !== null) return undefined;
    const key = this.#keyOf(request);
    const entry = key === null ? undefined : this.#entries.get(key);
    return entry !== undefined && entry.version === this.version() ? entry : undefined;
  }

  /**
   * Sends what was found.
   * @param more headers of this answer alone, names and values in turn
   */
  send(request: IncomingMessage, response: ServerResponse, found: LastingAnswer, more: readonly string[]): void {
    const { answer, flat, unchanged } = found as Entry;
    const known = request.headers['if-none-match'];
    if (known !== undefined && matchesEtag(known, answer.json.etag)) {
      response.writeHead(304, [...unchanged, ...more]).end();
    } else response.writeHead(200, [...flat, ...more]).end(answer.json.body);
  }

  /** Null for what is asked in an uncommon way. */
  #keyOf({ method, url = '', headers, httpVersion }: IncomingMessage): string | null {
    if (method !== 'GET' || url.length > MAX_KEY || httpVersion !== '1.1' || headers.host === undefined) return null;
    if (headers.origin !== undefined || headers.expect !== undefined) return null;
    if (headers['content-length'] !== undefined || headers['transfer-encoding'] !== undefined) return null;
    let key = url;
    for (const name of this.#headers) key += `\n${headers[name] ?? ''}`;
    return key.length > MAX_KEY ? null : key;
  }
}
