import { GitError } from '../git.errors.ts';
import { parseCommit, parseTag } from '../git.objects.ts';
import type { ObjectStore } from './object-store.ts';
import type { RawObject } from './raw-object.ts';

/** Objects that a shortened id is compared with; more share no digits by chance. */
const MAX_CANDIDATES = 1_000;
/** Tags that name tags. */
const MAX_TAGS = 1_000;

/** What shortened ids and `^{type}` mean, as gitrevisions says. */
export class ObjectNames {
  readonly #store: ObjectStore;
  readonly #read: (oid: string) => Promise<RawObject | null>;

  constructor(store: ObjectStore, read: (oid: string) => Promise<RawObject | null>) {
    this.#store = store;
    this.#read = read;
  }

  /**
   * The complete id of a shortened one, or of itself; null where there is none, or more than one.
   * @param expectedType the type that follows: of several objects, a commit or tree is preferred where one is asked for
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
   * What an object leads to: through tags, and from a commit to its tree.
   * @param expectedType a type; empty for anything but a tag
   * @returns null where it leads to no such object
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
