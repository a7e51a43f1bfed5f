import type { IncomingMessage, ServerResponse } from 'node:http';
import type { FastifyRequest } from 'fastify';
import type { Caller } from '../access/caller.ts';
import { useIsRecordedUntil } from '../access/token-caller.ts';
import { BoundedCache } from '../core/cache/index.ts';
import { FileValidators } from '../core/file-validators.ts';
import type { User } from '../db/tables/users.table.ts';
import type { Deps } from '../deps.ts';
import { maskAddress } from './http.mask.ts';
import { type CachedBody, matchesEtag, PRIVATE, type Serialized } from './http.send.ts';
import { routeMatchOf } from './route-match.ts';

const MAX_KEY = 2_000;
const DAY_MS = 86_400_000;

const NO_SECRETS: ReadonlySet<string> = new Set();
/** Headers that differ for each request. */
const OF_ONE_REQUEST: ReadonlySet<string> = new Set(['x-request-id', 'x-runtime']);

/** Credentials that identify a caller until the day ends or the database changes. */
const CACHEABLE_CREDENTIALS: ReadonlySet<Caller['credential']['kind'] | undefined> = new Set([
  'access_token',
  'flags_client',
  'none',
]);

/** Whether the permissions of a caller stay the same until the end of the day, unless something is committed. */
export const isCacheableCaller = (caller: Caller | undefined): boolean =>
  CACHEABLE_CREDENTIALS.has(caller?.credential.kind);

/** What an answer depends on: the version of the database before anything was read, and file validators. */
export interface CacheDependencies {
  readonly cache: ResponseCache;
  readonly version: number;
  readonly validators: FileValidators;
}

/** A cached answer, with the fields of its log line. */
export interface ResponseCacheEntry {
  readonly json: Serialized;
  /** Template of its route. */
  readonly route: string | undefined;
  /** Its masked URL for the log. */
  readonly path: string;
  readonly user: Pick<User, 'id' | 'username'> | null;
}

interface Entry extends ResponseCacheEntry, Pick<CacheDependencies, 'version' | 'validators'> {
  /** Validity in milliseconds since 1970. */
  from: number;
  until: number;
  /** Headers of the answer and of its 304, as alternating names and values. */
  flat: readonly string[];
  unchanged: readonly string[];
}

const textsOf = (texts: readonly string[]): number => texts.reduce((sum, { length }) => sum + 2 * length + 16, 0);
const sizeOf = ({ json, path, flat, unchanged }: Entry, key: string): number =>
  json.body.length + textsOf([key, path]) + textsOf(flat) + textsOf(unchanged) + 4_000;

/**
 * Caches whole answers to repeated requests: the same request of the same caller is answered before routing and
 * authorization as long as the database and the refs used for it are unchanged, because the result would be the same.
 * Larger answers than 64 kB are sent the ordinary way, which detects slow clients.
 * Disabled on engines without a database version (PostgreSQL), if requests are counted, and behind proxies.
 */
export class ResponseCache {
  readonly #deps: Deps;
  readonly #headers: readonly string[];
  readonly #entries: BoundedCache<string, Entry>;

  /** @param headers all request headers on which answers depend, in lower case */
  constructor(deps: Deps, headers: readonly string[]) {
    this.#deps = deps;
    this.#headers = headers;
    this.#entries = new BoundedCache('responses', sizeOf);
  }

  /** Starts to record what an answer depends on; null if it cannot be cached. */
  begin(): CacheDependencies | null {
    const version = this.#version();
    return version === null ? null : { cache: this, version, validators: new FileValidators() };
  }

  /** Version of the database; null if nothing can be cached. */
  #version(): number | null {
    const { config, database, settings } = this.#deps;
    const { now } = settings;
    const counted = now.throttle_authenticated_api_enabled || now.throttle_unauthenticated_api_enabled;
    return counted || config.trustedProxies.length > 0 ? null : database.version();
  }

  /**
   * Caches an answer while its dependencies are unchanged; only from the second time on that it is sent, because most
   * requests are not repeated.
   * @param more further headers of the answer
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

  /** The cached answer of a request, if it is still valid. */
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
   * Sends a cached answer.
   * @param more further headers of this answer only, as alternating names and values
   */
  send(request: IncomingMessage, response: ServerResponse, entry: ResponseCacheEntry, more: readonly string[]): void {
    const { json, flat, unchanged } = entry as Entry;
    const known = request.headers['if-none-match'];
    if (known !== undefined && matchesEtag(known, json.etag)) {
      response.writeHead(304, [...unchanged, ...more]).end();
    } else response.writeHead(200, [...flat, ...more]).end(json.body);
  }
}

/** Cache key of a request; null for unusual requests. */
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

/** Time in milliseconds since 1970 until which a caller stays authorized and the use of their token needs no record. */
function cacheableUntil(caller: Caller, now: number): number {
  if (!isCacheableCaller(caller) || caller.sudoBy !== null) return now;
  return Math.min((Math.floor(now / DAY_MS) + 1) * DAY_MS, useIsRecordedUntil(caller));
}

/** Alternating names and values, without headers that differ for each request. */
const withoutThoseOfOne = (flat: readonly string[]): string[] =>
  flat.filter((_, at) => !OF_ONE_REQUEST.has(flat[at - (at % 2)]!));
