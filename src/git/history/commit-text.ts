import { TooManyOuterCommits } from '../commit-graph/index.ts';
import type { ObjectReader } from '../objects/index.ts';
import { type AuthorTest, authorTest } from './author-pattern.ts';

/** Maximum number of commits read for one query. Larger searches are left to git, which reads commits faster. */
const MAX_READ = 2_000;

/** Searches commits for texts, like `git log --regexp-ignore-case`. */
export class CommitText {
  readonly #objects: ObjectReader;
  readonly #author: AuthorTest | null;
  readonly #message: RegExp | null;
  #read = 0;

  /** @param author a pattern as for `authorTest`, `message` a substring of a line; undefined or empty for any */
  constructor(
    objects: ObjectReader,
    { author, message }: { author?: string | undefined; message?: string | undefined },
  ) {
    this.#objects = objects;
    this.#author = author ? authorTest(author) : null;
    this.#message = pattern(message);
  }

  /**
   * Whether a commit matches.
   * @throws TooManyOuterCommits if too many commits were read
   */
  async isIn(oid: string): Promise<boolean> {
    if (this.#author === null && this.#message === null) return true;
    this.#read += 1;
    const commit = this.#read > MAX_READ ? null : await this.#objects.commit(oid);
    if (commit === null) throw new TooManyOuterCommits();
    const { name, email } = commit.author;
    return (this.#author?.(`${name} <${email}>`) ?? true) && (this.#message?.test(commit.message) ?? true);
  }
}

const pattern = (text: string | undefined): RegExp | null => (text ? new RegExp(RegExp.escape(text), 'iu') : null);
