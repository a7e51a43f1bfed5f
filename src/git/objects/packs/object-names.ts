import { GitError } from '../../common/index.ts';
import { parseCommit, parseTag } from '../git.objects.ts';
import type { ObjectStore } from './object-store.ts';
import type { RawObject } from './raw-object.ts';

/** Maximum number of candidates for an abbreviated id. More never share a prefix by chance. */
const MAX_CANDIDATES = 1_000;
/** Maximum length of a chain of tags. */
const MAX_TAGS = 1_000;

/** Resolves abbreviated ids and `^{type}` as specified by gitrevisions. */
export class ObjectNames {
  readonly #store: ObjectStore;
  readonly #read: (oid: string) => Promise<RawObject | null>;

  constructor(store: ObjectStore, read: (oid: string) => Promise<RawObject | null>) {
    this.#store = store;
    this.#read = read;
  }

  /**
   * Completes an abbreviated id; null if there is no match or an ambiguous one.
   * @param expectedType the type in the suffix: among several objects, a matching commit or tree is preferred
   */
  async complete(digits: string, expectedType: string | undefined): Promise<string | null> {
    if (this.#store.isComplete(digits)) return digits;
    const ids = await this.#store.beginningWith(digits, MAX_CANDIDATES);
    if (ids.length <= 1 || (expectedType !== 'commit' && expectedType !== 'tree'))
      return ids.length === 1 ? ids[0]! : null;
    const fitting: string[] = [];
    for (const id of ids) if ((await this.peel(id, expectedType)) !== null) fitting.push(id);
    return fitting.length === 1 ? fitting[0]! : null;
  }

  /**
   * Follows an object through tags, and from a commit to its tree.
   * @param expectedType a type; empty for anything but a tag
   * @returns null if there is no such object
   */
  async peel(oid: string, expectedType: string): Promise<string | null> {
    let at = oid;
    for (let tags = 0; tags <= MAX_TAGS; tags += 1) {
      const object = await this.#read(at);
      if (object === null) return null;
      if (object.type === expectedType || (expectedType === '' && object.type !== 'tag')) return at;
      if (object.type === 'commit' && expectedType === 'tree') at = parseCommit(at, contentOf(object)).tree;
      else if (object.type === 'tag') at = parseTag(at, contentOf(object)).object;
      else return null;
    }
    return null;
  }
}

function contentOf({ type, size, data }: RawObject): Buffer {
  if (data === null) throw new GitError('output_too_large', `${type}: ${size} bytes`);
  return data;
}
