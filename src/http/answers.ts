import { Kept } from '../core/kept.ts';
import { inOwnMemory } from '../core/own-memory.ts';
import { jsonHeaders, Serialized } from './send.ts';

/** An answer that cannot change: its body with its tag, and the headers that belong to it. */
export interface FixedAnswer {
  json: Serialized;
  headers: Readonly<Record<string, string>>;
  /** All headers that `sendFixed` sends, names and values in turn. */
  flat: readonly string[];
}

/** Names of headers are shared, their values are not. */
const sizeOf = ({ json, flat }: FixedAnswer, key: string): number =>
  1_000 + json.body.length + 2 * key.length + flat.length * 24;

/**
 * Keeps answers whose key names only things that never change (object ids, and whatever else goes into the body).
 * So none can be stale, in any number of processes. Bounded by bytes.
 */
export class AnswerCache {
  readonly #answers: Kept<string, FixedAnswer>;

  constructor(maxBytes: number) {
    this.#answers = new Kept(maxBytes, sizeOf, { mostOfOne: Math.ceil(maxBytes / 8) });
  }

  /** The kept answer of the key; undefined when there is none. */
  peek(key: string): FixedAnswer | undefined {
    return this.#answers.get(key);
  }

  /** Keeps the answer made of a value, or of its body. */
  keep(key: string, value: unknown, headers: Readonly<Record<string, string>> = {}): FixedAnswer {
    const json = value instanceof Serialized ? value : Serialized.of(value);
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
