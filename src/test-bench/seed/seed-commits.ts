import type { Project } from '../../db/tables/projects.table.ts';
import {
  CommitError,
  type FileAction,
  prepareCommit,
  withoutLeadingSlash,
  writeCommit,
} from '../../git/commits/index.ts';
import { GitError, isValidBranchName } from '../../git/common/index.ts';
import { mergeCommits } from '../../git/merge/index.ts';
import type { NewIdentity } from '../../git/objects/index.ts';
import { HEADS, TAGS } from '../../git/refs/index.ts';
import type { Repository } from '../../git/repository/index.ts';
import { entryAt } from '../../git/trees/index.ts';
import { changeRefs, inRepositoryQueue } from '../../repositories/change-refs.ts';
import { ofProject } from '../../repositories/holder.ts';
import { contentOf } from './seed-content.ts';
import { type SeedContext, SeedMistake } from './seed-context.ts';
import type { Item } from './seed-expand.ts';

const FIRST_MESSAGE = 'Initial commit';
/** So many commits are written at once. */
const MAX_UNWRITTEN = 32;

/** The history of one project while a seed writes it: heads move in memory, and all refs at once at the end. */
export class SeedHistory {
  readonly #context: SeedContext;
  readonly #repo: Repository;
  readonly #before: Map<string, string>;
  readonly #heads = new Map<string, string>();
  readonly #people = new Map<string, { name: string; email: string }>();
  /** Commits that are still being written. */
  readonly #unwritten = new Map<string, Promise<unknown>>();
  /** Name of the default branch. */
  readonly main: string;

  private constructor(context: SeedContext, repo: Repository, before: Map<string, string>, main: string) {
    this.#context = context;
    this.#repo = repo;
    this.#before = before;
    this.main = main;
    for (const [ref, oid] of before) this.#heads.set(ref, oid);
  }

  /**
   * Writes commits to a project and moves its refs to them, without starting pipelines.
   * @param work writes them
   * @throws SeedMistake for what git refuses
   */
  static async write(
    context: SeedContext,
    project: Project,
    work: (history: SeedHistory) => Promise<void>,
  ): Promise<void> {
    const { deps } = context;
    await inRepositoryQueue(deps, project, async (repo) => {
      const refs = [...(await repo.refs.list(HEADS)), ...(await repo.refs.list(TAGS))];
      const before = new Map(refs.map(({ name, oid }) => [name, oid]));
      const main = (await repo.refs.head()) ?? 'main';
      const history = new SeedHistory(context, repo, before, main);
      await work(history).finally(() => history.#written());
      const gone = [...before].filter(([ref]) => !history.#heads.has(ref));
      const updates = [
        ...gone.map(([ref, oid]) => ({ ref, old: oid, new: null })),
        ...[...history.#heads]
          .filter(([ref, oid]) => before.get(ref) !== oid)
          .map(([ref, oid]) => ({ ref, old: before.get(ref) ?? null, new: oid })),
      ];
      if (updates.length === 0) return;
      const holder = ofProject(project);
      await changeRefs(deps, repo, {
        holder,
        userId: project.creator_id ?? 1,
        updates,
        via: 'mirror',
        guard: async () => {},
      });
    }).catch((error: unknown) => {
      if (error instanceof GitError && error.code === 'invalid') throw new SeedMistake(error.message);
      throw error;
    });
  }

  /** Whether the branch was there before the seed. */
  hadBranch = (branch: string): boolean => this.#before.has(`${HEADS}${branch}`);

  hasBranch = (branch: string): boolean => this.#heads.has(`${HEADS}${branch}`);

  /** Has these refs, whose objects are there, and no others: a fork has what it is said to have, not what it was copied from. */
  adopt(refs: Iterable<readonly [ref: string, oid: string]>): void {
    this.#heads.clear();
    for (const [ref, oid] of refs) this.#heads.set(ref, oid);
  }

  /**
   * Writes a commit as a seed describes it.
   * @param fallback branch of a commit that names none
   */
  async commit(item: Item, fallback = this.main): Promise<void> {
    const branch = (item.branch as string | undefined) ?? fallback;
    if (!isValidBranchName(branch)) throw new SeedMistake(`branch ${branch} is not a valid name`);
    const base = this.#start(branch, item);
    const { author, committer } = await this.#identities(item);
    const oid =
      item.merge === undefined
        ? await this.#write(base, item, author, committer)
        : await this.#merge(base, branch, item, author, committer);
    this.#heads.set(`${HEADS}${branch}`, oid);
    this.#context.count('commits');
  }

  /** The first parent of a commit; null if it is not there or has none. */
  parentOf = async (oid: string): Promise<string | null> => (await this.#repo.objects.commit(oid))?.parents[0] ?? null;

  /** Makes a branch at a commit that is there. @returns whether there is such a commit */
  async branchAt(branch: string, oid: string): Promise<boolean> {
    await this.#written();
    if ((await this.#repo.objects.commit(oid)) === null) return false;
    this.#heads.set(`${HEADS}${branch}`, oid);
    return true;
  }

  /** Makes sure that a merge request has something to merge. */
  async ensureBranch(branch: string, target: string, author: unknown): Promise<void> {
    if (!this.hasBranch(this.main)) await this.commit({ message: FIRST_MESSAGE, files: { 'README.md': '' } });
    if (this.hasBranch(branch)) return;
    await this.commit({ branch, start_branch: target, author, files: { [`${branch}.md`]: `${branch}\n` } });
  }

  /** The commit on which the next one of a branch stands; null for the first of all. */
  #start(branch: string, { start_branch: start }: Item): string | null {
    const head = this.#heads.get(`${HEADS}${branch}`);
    if (head !== undefined) return head;
    const from = (start as string | undefined) ?? this.main;
    const base = this.#heads.get(`${HEADS}${from}`) ?? this.#heads.get(`${TAGS}${from}`);
    if (base === undefined && start !== undefined)
      throw new SeedMistake(`start_branch: there is no branch ${from} yet`);
    return base ?? null;
  }

  async #write(base: string | null, item: Item, author: NewIdentity, committer: NewIdentity): Promise<string> {
    if (base !== null) await this.#unwritten.get(base);
    const actions = [...this.#actions(item), ...(await this.#files(base, item))];
    const message = (item.message as string | undefined) ?? messageOf(actions);
    try {
      const made = await prepareCommit(this.#repo, { base, actions, author, committer, message });
      this.#keepWriting(made.oid, made.store());
      if (this.#unwritten.size >= MAX_UNWRITTEN) await this.#written();
      return made.oid;
    } catch (error) {
      if (error instanceof CommitError) throw new SeedMistake(error.message);
      throw error;
    }
  }

  /** Lets a commit be written while others are made; whoever needs it waits for it. */
  #keepWriting(oid: string, stored: Promise<unknown>): void {
    // A failure is told where it is waited for.
    stored.catch(() => {});
    this.#unwritten.set(oid, stored);
  }

  /** Waits until all commits are written. @throws the file system's error */
  async #written(): Promise<void> {
    await Promise.all(this.#unwritten.values());
    this.#unwritten.clear();
  }

  async #merge(
    base: string | null,
    branch: string,
    item: Item,
    author: NewIdentity,
    committer: NewIdentity,
  ): Promise<string> {
    const other = String(item.merge);
    const head = this.#heads.get(`${HEADS}${other}`);
    if (head === undefined || base === null) throw new SeedMistake(`merge: there is no branch ${other} yet`);
    await this.#written();
    const merged = await mergeCommits(this.#repo, base, head);
    if (merged.kind !== 'clean') throw new SeedMistake(`merge: ${other} and ${branch} do not merge without conflicts`);
    const message = (item.message as string | undefined) ?? `Merge branch '${other}' into '${branch}'`;
    const commit = { tree: merged.tree, parents: [base, head], author, committer, message };
    return writeCommit(this.#repo, commit, merged.objects);
  }

  #actions({ actions }: Item): FileAction[] {
    return ((actions ?? []) as Item[]).map((action, at) => readAction(action, `actions[${at}]`));
  }

  async #files(base: string | null, { files }: Item): Promise<FileAction[]> {
    const actions: FileAction[] = [];
    for (const [name, value] of Object.entries((files ?? {}) as Item)) {
      const path = withoutLeadingSlash(name);
      const isThere = base !== null && (await entryAt(this.#repo, base, path)) !== null;
      actions.push({ action: isThere ? 'update' : 'create', path, content: contentOf(value) });
    }
    return actions;
  }

  async #identities(item: Item): Promise<{ author: NewIdentity; committer: NewIdentity }> {
    const person = await this.#person((item.author as string | undefined) ?? 'root');
    const written = item.authored_date ?? item.committed_date ?? item.created_at;
    const stored = item.committed_date ?? item.created_at ?? item.authored_date;
    const now = this.#context.clock.at(stored);
    const author = {
      name: (item.author_name as string | undefined) ?? person.name,
      email: (item.author_email as string | undefined) ?? person.email,
      ...dated(written, now),
    };
    const committer = {
      name: (item.committer_name as string | undefined) ?? author.name,
      email: (item.committer_email as string | undefined) ?? author.email,
      ...dated(stored, now),
    };
    return { author, committer };
  }

  async #person(username: string): Promise<{ name: string; email: string }> {
    const known = this.#people.get(username);
    if (known !== undefined) return known;
    const id = await this.#context.userId(username);
    const user = await this.#context.deps.db
      .selectFrom('users')
      .select(['name', 'email', 'commit_email'])
      .where('id', '=', id)
      .executeTakeFirstOrThrow();
    const person = { name: user.name, email: user.commit_email ?? user.email };
    this.#people.set(username, person);
    return person;
  }
}

function dated(date: unknown, now: Date): Pick<NewIdentity, 'date' | 'timezone'> {
  if (typeof date !== 'string') return { date: now };
  const zone = /([+-]\d{2}):?(\d{2})$/.exec(date.slice('2026-01-31'.length));
  return { date: new Date(date), ...(zone === null ? {} : { timezone: `${zone[1]}${zone[2]}` }) };
}

const messageOf = (actions: readonly FileAction[]): string => {
  const [first] = actions;
  if (first === undefined) return 'Empty commit';
  const verb = {
    create: 'Add',
    update: 'Update',
    move: 'Move',
    delete: 'Delete',
    chmod: 'Change',
    submodule: 'Update',
  }[first.action];
  return actions.length === 1 ? `${verb} ${first.path}` : `${verb} ${first.path} and ${actions.length - 1} more`;
};

/** An action as the API takes it. @throws SeedMistake */
function readAction(item: Item, name: string): FileAction {
  const { action, file_path, previous_path, content, encoding, execute_filemode: executable } = item;
  if (typeof file_path !== 'string' || file_path === '') throw new SeedMistake(`${name}.file_path is missing`);
  const path = withoutLeadingSlash(file_path);
  const mode = typeof executable === 'boolean' ? { executable } : {};
  const bytes = () => contentOf(encoding === 'base64' ? { base64: content } : (content ?? ''));
  switch (action) {
    case undefined:
    case 'create':
      return { action: 'create', path, content: bytes(), ...mode };
    case 'update':
      return { action, path, content: bytes(), ...mode };
    case 'move': {
      if (typeof previous_path !== 'string') throw new SeedMistake(`${name}.previous_path is missing`);
      const moved = { action, path, previousPath: withoutLeadingSlash(previous_path), ...mode } as const;
      return content === undefined ? moved : { ...moved, content: bytes() };
    }
    case 'delete':
      return { action, path };
    case 'chmod':
      return { action, path, executable: executable === true };
    default:
      throw new SeedMistake(`${name}.action must be one of create, update, move, delete, chmod`);
  }
}
