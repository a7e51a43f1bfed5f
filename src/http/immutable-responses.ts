import { BoundedCache } from '../core/bounded-cache.ts';
import { detachedCopy } from '../core/detached-copy.ts';
import { jsonHeaders, Serialized } from './http.send.ts';

/** An answer that cannot change: its body with its tag, and the headers that belong to it. */
export interface CachedResponse {
  json: Serialized;
  headers: Readonly<Record<string, string>>;
  /** All headers that `sendCached` sends, names and values in turn. */
  flat: readonly string[];
}

/** Names of headers are shared, their values are not. */
const sizeOf = ({ json, flat }: CachedResponse, key: string): number =>
  1_000 + json.body.length + 2 * key.length + flat.length * 24;

/**
 * Keeps answers whose key names only things that never change (object ids, and whatever else goes into the body).
 * So none can be stale, in any number of processes. Bounded by bytes.
 */
export class ImmutableResponses {
  readonly #entries: BoundedCache<string, CachedResponse>;

  constructor(maxBytes: number) {
    this.#entries = new BoundedCache(maxBytes, sizeOf, { maxEntryBytes: Math.ceil(maxBytes / 8) });
  }

  /** The kept answer of the key; undefined when there is none. */
  peek(key: string): CachedResponse | undefined {
    return this.#entries.get(key);
  }

  /** Keeps the answer made of a value, or of its body. */
  set(key: string, value: unknown, headers: Readonly<Record<string, string>> = {}): CachedResponse {
    const json = value instanceof Serialized ? value : Serialized.of(value);
    return this.setBody(key, json, headers, { ...headers, ...jsonHeaders(json) });
  }

  /**
   * Keeps an answer whose body is made already.
   * @param all every header that belongs to the body, when that is more than `headers`
   */
  setBody(
    key: string,
    json: Serialized,
    headers: Readonly<Record<string, string>>,
    all: Readonly<Record<string, string>> = headers,
  ): CachedResponse {
    const body = detachedCopy(json.body);
    const own = body === json.body ? json : new Serialized(body, json.etag);
    const response = { json: own, headers, flat: Object.entries(all).flat() };
    this.#entries.set(key, response);
    return response;
  }

  /** The answer of the key: kept, or made now. */
  async get(key: string, make: () => Promise<unknown>): Promise<Serialized> {
    return (this.#entries.get(key) ?? this.set(key, await make())).json;
  }
}
