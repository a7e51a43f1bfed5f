import { LRUCache } from 'lru-cache';
import { inOwnMemory } from '../core/own-memory.ts';
import { jsonHeaders, Serialized } from './send.ts';

/** An answer that cannot change: its body with its tag, and the headers that belong to it. */
export interface FixedAnswer {
  json: Serialized;
  headers: Readonly<Record<string, string>>;
  /** All headers that `sendFixed` sends, names and values in turn. */
  flat: readonly string[];
}

/**
 * Keeps answers whose key names only things that never change (object ids, and whatever else goes into the body).
 * So none can be stale, in any number of processes. Bounded by bytes.
 */
export class AnswerCache {
  readonly #answers: LRUCache<string, FixedAnswer>;

  constructor(maxBytes: number) {
    this.#answers = new LRUCache({
      maxSize: maxBytes,
      maxEntrySize: Math.ceil(maxBytes / 8),
      sizeCalculation: ({ json }, key) => json.body.length + key.length * 2 + 500,
    });
  }

  /** The kept answer of the key; undefined when there is none. */
  peek(key: string): FixedAnswer | undefined {
    return this.#answers.get(key);
  }

  /** Keeps the answer made of a value. */
  keep(key: string, value: unknown, headers: Readonly<Record<string, string>> = {}): FixedAnswer {
    const json = Serialized.of(value);
    return this.keepBody(key, json, headers, { ...headers, ...jsonHeaders(json) });
  }

  /**
   * Keeps an answer whose body is made already.
   * @param all every header that belongs to the body, when that is more than `headers`
   */
  keepBody(
    key: string,
    json: Serialized,
    headers: Readonly<Record<string, string>>,
    all: Readonly<Record<string, string>> = headers,
  ): FixedAnswer {
    const body = inOwnMemory(json.body);
    const own = body === json.body ? json : new Serialized(body, json.etag);
    const answer = { json: own, headers, flat: Object.entries(all).flat() };
    this.#answers.set(key, answer);
    return answer;
  }

  /** The answer of the key: kept, or made now. */
  async get(key: string, make: () => Promise<unknown>): Promise<Serialized> {
    return (this.#answers.get(key) ?? this.keep(key, await make())).json;
  }
}
