import type { IncomingMessage, ServerResponse } from 'node:http';
import type { FastifyRequest } from 'fastify';
import type { Caller } from '../access/caller.ts';
import { useIsRecordedUntil } from '../access/token-caller.ts';
import { BoundedCache } from '../core/bounded-cache.ts';
import { FileValidators } from '../core/file-validators.ts';
import type { User } from '../db/tables/users.table.ts';
import type { Deps } from '../deps.ts';
import { maskAddress } from './http.mask.ts';
import { type CachedBody, matchesEtag, PRIVATE, type Serialized } from './http.send.ts';
import { routeMatchOf } from './route-match.ts';

const MAX_BYTES = 16 * 1024 * 1024;
/** Larger ones are sent in the ordinary way, in which clients that do not take them are noticed. */
const MAX_ENTRY_BYTES = 64 * 1024;
const MAX_KEY = 2_000;
const DAY_MS = 86_400_000;

const NO_SECRETS: ReadonlySet<string> = new Set();
/** Told of each request anew. */
const OF_ONE_REQUEST: ReadonlySet<string> = new Set(['x-request-id', 'x-runtime']);

/** What proves who the caller is until the day or something in the database changes. */
const CACHEABLE_CREDENTIALS: ReadonlySet<Caller['credential']['kind'] | undefined> = new Set([
  'access_token',
  'flags_client',
  'none',
]);

/** Whether what a caller may do stays the same until the end of the day, unless something is committed. */
export const isCacheableCaller = (caller: Caller | undefined): boolean =>
  CACHEABLE_CREDENTIALS.has(caller?.credential.kind);

/** What an answer was made from: the state of the database before anything was looked at, and what else was looked at. */
export interface CacheDependencies {
  readonly cache: ResponseCache;
  readonly version: number;
  readonly validators: FileValidators;
}

/** An answer that the same request gets again, with what its line in the log says. */
export interface ResponseCacheEntry {
  readonly json: Serialized;
  /** Template of its route. */
  readonly route: string | undefined;
  /** Its address as the log shows it. */
  readonly path: string;
  readonly user: Pick<User, 'id' | 'username'> | null;
}

interface Entry extends ResponseCacheEntry, Pick<CacheDependencies, 'version' | 'validators'> {
  /** Milliseconds since 1970 between which it holds. */
  from: number;
  until: number;
  /** Headers of the answer and of its 304, names and values in turn. */
  flat: readonly string[];
  unchanged: readonly string[];
}

const textsOf = (texts: readonly string[]): number => texts.reduce((sum, { length }) => sum + 2 * length + 16, 0);
const sizeOf = ({ json, path, flat, unchanged }: Entry, key: string): number =>
  json.body.length + textsOf([key, path]) + textsOf(flat) + textsOf(unchanged) + 4_000;

/**
 * Answers to questions that clients ask again and again: who asked the same at the same state of the database, and of the refs
 * that were looked at for it, is answered before routing, rights and everything else are looked at, since all of that would
 * come out the same. Where the engine cannot tell its state (PostgreSQL), where requests are counted or come from proxies,
 * nothing is answered so.
 */
export class ResponseCache {
  readonly #deps: Deps;
  readonly #headers: readonly string[];
  readonly #entries: BoundedCache<string, Entry>;

  /** @param headers all that any such answer depends on beside the address, in lower case */
  constructor(deps: Deps, headers: readonly string[]) {
    this.#deps = deps;
    this.#headers = headers;
    this.#entries = new BoundedCache(MAX_BYTES, sizeOf, { maxEntryBytes: MAX_ENTRY_BYTES });
  }

  /** What an answer is made from that is asked for now; null where none lasts. */
  begin(): CacheDependencies | null {
    const version = this.#version();
    return version === null ? null : { cache: this, version, validators: new FileValidators() };
  }

  /** State of the database; null where no answer lasts. */
  #version(): number | null {
    const { config, database, settings } = this.#deps;
    const { now } = settings;
    const counted = now.throttle_authenticated_api_enabled || now.throttle_unauthenticated_api_enabled;
    return counted || config.trustedProxies.length > 0 ? null : database.version();
  }

  /**
   * Keeps an answer for as long as all is so that it was made from; from the second time on that it is sent, since most that
   * is asked once is not asked again.
   * @param more headers that are sent beside its own
   */
  set(
    request: FastifyRequest,
    { version, validators }: CacheDependencies,
    { json, flat }: CachedBody,
    more: readonly string[],
  ): void {
    const again = json.sent;
    json.sent = true;
    if (!again) return;
    const { caller, raw } = request;
    const key = keyOf(raw, this.#headers);
    const now = this.#deps.clock.now().getTime();
    const until = caller === null ? now : cacheableUntil(caller, now);
    if (key === null || until <= now || version !== this.#version()) return;
    const others = withoutThoseOfOne(more);
    const { url, config } = routeMatchOf(request);
    const user = caller?.user ?? null;
    this.#entries.set(key, {
      ...{ json, version, validators, from: now, until, route: url },
      user: user && { id: user.id, username: user.username },
      path: maskAddress(request.originalUrl, config.secrets ?? NO_SECRETS),
      flat: [...flat, ...others],
      unchanged: [...others, 'etag', json.etag, 'cache-control', PRIVATE],
    });
  }

  /** What the request was answered with last, when that is still so. */
  find(request: IncomingMessage): ResponseCacheEntry | undefined {
    const { clock, database } = this.#deps;
    if (this.#entries.size === 0 || database.onDisk() !== null) return undefined;
    const key = keyOf(request, this.#headers);
    const entry = key === null ? undefined : this.#entries.get(key);
    if (entry === undefined || entry.version !== this.#version()) return undefined;
    const now = clock.now().getTime();
    return now >= entry.from && now < entry.until && entry.validators.areCurrent() ? entry : undefined;
  }

  /**
   * Sends what was found.
   * @param more headers of this answer alone, names and values in turn
   */
  send(request: IncomingMessage, response: ServerResponse, found: ResponseCacheEntry, more: readonly string[]): void {
    const { json, flat, unchanged } = found as Entry;
    const known = request.headers['if-none-match'];
    if (known !== undefined && matchesEtag(known, json.etag)) {
      response.writeHead(304, [...unchanged, ...more]).end();
    } else response.writeHead(200, [...flat, ...more]).end(json.body);
  }
}

/** Under which an answer is kept; null for what is asked in an uncommon way. */
function keyOf(
  { method, url = '', headers, httpVersion }: IncomingMessage,
  deciding: readonly string[],
): string | null {
  if (method !== 'GET' || url.length > MAX_KEY || httpVersion !== '1.1' || headers.host === undefined) return null;
  if (headers.origin !== undefined || headers.expect !== undefined || headers.sudo !== undefined) return null;
  if (headers['content-length'] !== undefined || headers['transfer-encoding'] !== undefined) return null;
  let key = `${headers.host}${url}`;
  for (const name of deciding) key += `\n${headers[name] ?? ''}`;
  return key.length > MAX_KEY ? null : key;
}

/** Until when a caller is let in without a look at the clock, and nothing is noted of their token, in milliseconds since 1970. */
function cacheableUntil(caller: Caller, now: number): number {
  if (!isCacheableCaller(caller) || caller.sudoBy !== null) return now;
  return Math.min((Math.floor(now / DAY_MS) + 1) * DAY_MS, useIsRecordedUntil(caller));
}

/** Names and values in turn, without those that each request has of its own. */
const withoutThoseOfOne = (flat: readonly string[]): string[] =>
  flat.filter((_, at) => !OF_ONE_REQUEST.has(flat[at - (at % 2)]!));
