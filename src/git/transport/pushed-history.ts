import { isAncestor } from '../history/index.ts';
import { parseCommit } from '../objects/index.ts';
import { runGit } from '../process/index.ts';
import type { Repository } from '../repository/index.ts';
import { openQuarantine } from './quarantine-reader.ts';

const MAX_COMMIT = 1024 * 1024;
/** Maximum number of commits of a push read for one question, and in total. Above it, git is asked. */
const MAX_COMMITS = 2_000;
const MAX_READ_COMMITS = 50_000;
/** Maximum number of boundary commits, at which the push meets existing history. Above it, git is asked. */
const MAX_MEETINGS = 50;

/** Boundary commits of a commit's history; null if there are too many. */
type Meetings = readonly string[] | null;

/**
 * Distinguishes fast-forwards from forced updates for all refs of a push. Its quarantined commits are read once. Must
 * be closed.
 */
export class PushedHistory {
  readonly #repo: Repository;
  readonly #env: Readonly<Record<string, string>>;
  readonly #present: ReadonlySet<string>;
  readonly #arrived: ReturnType<typeof openQuarantine> | null;
  readonly #parents = new Map<string, readonly string[] | null>();
  readonly #meetings = new Map<string, Meetings>();
  /** Number of commits that may still be read. */
  #left = 0;
  #granted = 0;

  /**
   * @param env environment of the quarantine
   * @param present current ids of refs, which are passed as `ancestor`
   */
  constructor(repo: Repository, env: Readonly<Record<string, string>>, present: Iterable<string>) {
    this.#repo = repo;
    this.#env = env;
    this.#present = new Set(present);
    const [some] = this.#present;
    const quarantine = env.GIT_QUARANTINE_PATH;
    this.#arrived = quarantine === undefined || some === undefined ? null : openQuarantine(quarantine, some.length);
  }

  /**
   * Whether one commit is reachable from another.
   * @returns false also if one of the two is not a commit
   * @throws GitError `timeout`, `aborted`, `busy`
   */
  async isAncestor(ancestor: string, descendant: string): Promise<boolean> {
    const known = await this.#look(ancestor, descendant);
    if (known !== null) return known;
    const { code } = await runGit(['merge-base', '--is-ancestor', '--end-of-options', ancestor, descendant], {
      gitDir: this.#repo.dir,
      env: this.#env,
      okCodes: [0, 1, 128],
    });
    return code === 0;
  }

  close(): void {
    this.#arrived?.close();
  }

  /** @returns null if git must be asked */
  async #look(ancestor: string, descendant: string): Promise<boolean | null> {
    const meetings = this.#arrived === null ? [descendant] : await this.#meetingsOf(descendant).catch(() => null);
    if (meetings === null) return null;
    for (const oid of [ancestor, ...meetings]) if ((await this.#repo.objects.commit(oid)) === null) return null;
    if (meetings.includes(ancestor)) return true;
    for (const oid of meetings) if (await isAncestor(this.#repo, ancestor, oid)) return true;
    return false;
  }

  /** Boundary commits of a commit after those of its parents, each computed once. */
  async #meetingsOf(commitOid: string): Promise<Meetings> {
    const granted = Math.min(MAX_COMMITS, MAX_READ_COMMITS - this.#granted);
    this.#granted += granted;
    this.#left += granted;
    const open = [commitOid];
    for (let oid = open.at(-1); oid !== undefined; oid = open.at(-1)) {
      const parents = this.#meetings.has(oid) ? [] : await this.#parentsOf(oid);
      if (parents === 'unread') return null;
      const unknown = parents?.filter((parent) => !this.#meetings.has(parent)) ?? [];
      if (unknown.length > 0) {
        open.push(...unknown);
        continue;
      }
      open.pop();
      if (!this.#meetings.has(oid)) this.#meetings.set(oid, parents === null ? [oid] : this.#joined(parents));
    }
    return this.#meetings.get(commitOid)!;
  }

  #joined(parents: readonly string[]): Meetings {
    if (parents.length === 1) return this.#meetings.get(parents[0]!)!;
    const all = new Set<string>();
    for (const parent of parents) {
      const meetings = this.#meetings.get(parent)!;
      if (meetings === null) return null;
      for (const oid of meetings) all.add(oid);
    }
    return all.size > MAX_MEETINGS ? null : [...all];
  }

  /** Null for an existing commit; `unread` if it is not a commit, or too many were read. */
  async #parentsOf(oid: string): Promise<readonly string[] | null | 'unread'> {
    if (this.#present.has(oid)) return null;
    const known = this.#parents.get(oid);
    if (known !== undefined) return known;
    if (this.#left === 0) return 'unread';
    this.#left -= 1;
    const object = await this.#arrived!.store.read(oid, MAX_COMMIT);
    if (object !== null && (object.type !== 'commit' || object.data === null)) return 'unread';
    const parents = object === null ? null : parseCommit(oid, object.data!).parents;
    this.#parents.set(oid, parents);
    return parents;
  }
}
