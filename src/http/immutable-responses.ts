import { BoundedCache } from '../core/cache/index.ts';
import { detachedCopy } from '../core/detached-copy.ts';
import { jsonHeaders, Serialized } from './http.send.ts';

/** An immutable answer: its body with ETag, and its headers. */
export interface CachedResponse {
  json: Serialized;
  headers: Readonly<Record<string, string>>;
  /** All headers for `sendCached`, as alternating names and values. */
  flat: readonly string[];
}

/** Names of headers are shared strings, their values are not. */
const sizeOf = ({ json, flat }: CachedResponse, key: string): number =>
  1_000 + json.body.length + 2 * key.length + flat.length * 24;

/**
 * Caches answers whose key consists of immutable things only (object ids, and everything else in the body), so that
 * entries are never stale, in any number of processes. Bounded by bytes.
 */
export class ImmutableResponses {
  readonly #entries = new BoundedCache<string, CachedResponse>('immutable_responses', sizeOf);

  /** The cached answer of a key; undefined if there is none. */
  peek(key: string): CachedResponse | undefined {
    return this.#entries.get(key);
  }

  /** Caches the answer for a value, or for its serialized body. */
  set(key: string, value: unknown, headers: Readonly<Record<string, string>> = {}): CachedResponse {
    const json = value instanceof Serialized ? value : Serialized.of(value);
    return this.setBody(key, json, headers, { ...headers, ...jsonHeaders(json) });
  }

  /**
   * Caches an answer with a serialized body.
   * @param all all headers of the body, if there are more than `headers`
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

  /** The answer of a key: cached, or made now. */
  async get(key: string, make: () => Promise<unknown>): Promise<Serialized> {
    return (this.#entries.get(key) ?? this.set(key, await make())).json;
  }
}
