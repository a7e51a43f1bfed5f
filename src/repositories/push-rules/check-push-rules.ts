import { refused } from '../../core/core.errors.ts';
import type { PushRule } from '../../db/tables/push-rules.table.ts';
import type { RefChange } from '../../db/tables/ref-intents.table.ts';
import type { Deps } from '../../deps.ts';
import { GitError, type GitErrorCode } from '../../git/common/index.ts';
import type { Repository } from '../../git/repository/index.ts';
import {
  type NewCommit,
  type NewCommitOrFile,
  type NewFile,
  newCommitObjects,
  newCommits,
} from '../../git/transport/index.ts';
import { CheckPacer } from './check-pacer.ts';
import { CommitPeople } from './commit-people.ts';
import { type CommitOrigin, type Patterns, patternsOf, refuseCommit } from './commit-rules.ts';
import { readCreatedCommits } from './created-commits.ts';
import { FileSizes, needsFiles, refuseName } from './file-rules.ts';
import { PatternFails } from './push-rules.pattern.ts';
import { isSamePusher, type Pusher, readPusher } from './pusher.ts';
import { SignatureRule } from './signed.ts';

/** Ref changes to check against push rules. */
export interface PushedChanges {
  /** Null for callers without a user. */
  userId: number | null;
  changes: readonly RefChange[];
  /** Branch of HEAD. */
  defaultBranch: string | null;
  /** Origin of the change: the rule for tag deletions applies to `git push` only. */
  via: 'git' | 'api';
  /** Environment of the quarantine of a push. */
  env?: Readonly<Record<string, string>>;
  /**
   * Commits that the server has created for the change (`all`: every new one), and whether they derive from other
   * commits.
   */
  made?: { oids: readonly (string | null)[] | 'all'; from: 'input' | 'commits' };
  /** Further commits that are not new, besides those of branches and tags. */
  known?: readonly string[];
}

/** Result of a check against push rules. */
export interface PushRuleVerdict {
  /** Refusal as git and the API show it; null if the changes are allowed. */
  reason: string | null;
  /**
   * Checks in the announcing transaction, without git, whether the result still holds.
   * @param deps with the transaction's handle
   * @param rule currently in force
   */
  revalidate(deps: Deps, rule: PushRule | null): Promise<string | null>;
}

const CHANGED = 'The push rules were changed meanwhile. Please try again.';
const HEADS = 'refs/heads/';
const TAGS = 'refs/tags/';

/** Errors of git for a push that requires more work than allowed, such as a few trees that expand to many files. */
const TOO_MUCH: readonly GitErrorCode[] = ['timeout', 'output_too_large'];

/** Facts about users at the time of the check, to compare with later ones. */
interface Seen {
  pusher: Pusher;
  people: CommitPeople;
  signed: SignatureRule;
}

/**
 * Checks changes of a project's refs against the push rule in force, in one pass over the commits that no branch or tag
 * reaches yet, and their files. Refs other than branches and tags are not checked until a branch contains their
 * commits.
 * @throws GitError
 */
export async function checkPushRules(
  deps: Deps,
  repo: Repository,
  rule: PushRule | null,
  changes: PushedChanges,
): Promise<PushRuleVerdict> {
  if (rule === null) return { reason: null, revalidate: async (_, now) => (now === null ? null : CHANGED) };
  const patterns = patternsOf(rule);
  const seen: Seen = {
    pusher: await readPusher(deps.db, rule, changes.userId),
    people: new CommitPeople(),
    signed: new SignatureRule(deps.db),
  };
  const reason = await new Pass(deps, repo, rule, patterns, changes, seen).run();
  return {
    reason,
    revalidate: async (deps, now) => {
      if (JSON.stringify(now) !== JSON.stringify(rule)) return CHANGED;
      const pusher = await readPusher(deps.db, rule, changes.userId);
      if (!isSamePusher(seen.pusher, pusher)) return 'Your name or addresses were changed meanwhile. Please try again.';
      return (await seen.people.refuse(deps.db)) ?? seen.signed.stillVerified(deps.db);
    },
  };
}

/**
 * Checks a result again in the transaction that announces the changes.
 * @throws ApiError 400 if they are no longer allowed
 */
export async function refuseByVerdict(
  deps: Deps,
  verdict: PushRuleVerdict | null,
  rule: PushRule | null,
): Promise<void> {
  const reason = (await verdict?.revalidate(deps, rule)) ?? null;
  if (reason !== null) throw refused(reason);
}

/**
 * Like `checkPushRules`, for changes through the API.
 * @param rule in force when the rights were checked
 * @throws ApiError 400 with the reason
 */
export async function requirePushRules(
  deps: Deps,
  repo: Repository,
  rule: PushRule | null,
  changes: Omit<PushedChanges, 'via' | 'env'>,
): Promise<PushRuleVerdict> {
  const verdict = await checkPushRules(deps, repo, rule, { ...changes, via: 'api' });
  if (verdict.reason !== null) throw refused(verdict.reason);
  return verdict;
}

/** Returns the refusal of a ref by its name alone. */
function refuseRefName(
  rule: PushRule,
  { branch }: Patterns,
  { via, defaultBranch }: PushedChanges,
  { ref, new: oid }: RefChange,
): string | null {
  if (ref.startsWith(TAGS) && oid === null && via === 'git' && rule.deny_delete_tag === 1) {
    return 'You cannot delete a tag';
  }
  if (!ref.startsWith(HEADS) || oid === null || branch === null) return null;
  const name = ref.slice(HEADS.length);
  return name === defaultBranch || branch.test(name)
    ? null
    : `Branch name '${name.toWellFormed()}' does not follow the pattern '${branch.source}'`;
}

const asksForCommits = (rule: PushRule, { message, negative, email }: Patterns): boolean =>
  (message ?? negative ?? email) !== null ||
  [
    rule.member_check,
    rule.commit_committer_check,
    rule.commit_committer_name_check,
    rule.reject_non_dco_commits,
  ].includes(1);

/** One pass over all new commits. */
class Pass {
  readonly #deps: Deps;
  readonly #repo: Repository;
  readonly #rule: PushRule;
  readonly #patterns: Patterns;
  readonly #arrival: PushedChanges;
  readonly #seen: Seen;
  readonly #sizes: FileSizes;
  readonly #pace = new CheckPacer();
  #madeBy: CommitOrigin = 'somebody';

  constructor(deps: Deps, repo: Repository, rule: PushRule, patterns: Patterns, changes: PushedChanges, seen: Seen) {
    this.#deps = deps;
    this.#repo = repo;
    this.#rule = rule;
    this.#patterns = patterns;
    this.#arrival = changes;
    this.#seen = seen;
    this.#sizes = new FileSizes(repo, rule.max_file_size);
  }

  async run(): Promise<string | null> {
    const heads = this.#arrival.changes.flatMap(({ ref, new: oid }) =>
      oid !== null && (ref.startsWith(HEADS) || ref.startsWith(TAGS)) ? [oid] : [],
    );
    const distinct = [...new Set(heads)];
    try {
      const named = await this.#names();
      if (named !== null || heads.length === 0) return named;
      const made = await this.#made(distinct);
      if (made !== null) return (await this.#look(made)) ?? this.#settle();
      return (await this.#things(distinct)) ?? (await this.#signatures(distinct));
    } catch (error) {
      if (error instanceof PatternFails) return error.message;
      if (!(error instanceof GitError)) throw error;
      if (TOO_MUCH.includes(error.code)) return 'The push is too large for its push rules to be checked in time';
      if (error.code === 'failed' && /bad object/.test(error.message)) return 'An object of the push is missing';
      throw error;
    }
  }

  async #names(): Promise<string | null> {
    for (const change of this.#arrival.changes) {
      const reason = this.#pace.check(() => refuseRefName(this.#rule, this.#patterns, this.#arrival, change));
      if (reason !== null) return reason;
      await this.#pace.yield();
    }
    return null;
  }

  /** All new commits and files, if the server has just created all of them. None of them is signed. */
  async #made(heads: readonly string[]): Promise<NewCommitOrFile[] | null> {
    const { made, env } = this.#arrival;
    if (env !== undefined || made?.oids === 'all') return null;
    const oids = (made?.oids ?? []).filter((oid) => oid !== null);
    return readCreatedCommits(this.#repo, heads, oids, needsFiles(this.#rule));
  }

  async #settle(): Promise<string | null> {
    return (await this.#sizes.settle()) ?? (await this.#seen.people.refuse(this.#deps.db));
  }

  async #things(heads: readonly string[]): Promise<string | null> {
    const files = needsFiles(this.#rule);
    if (!files && !asksForCommits(this.#rule, this.#patterns)) return null;
    const { env = {}, known = [] } = this.#arrival;
    await this.#sizes.begin(env);
    for await (const things of newCommits(this.#repo, heads, { env, known, files })) {
      const reason = await this.#look(things);
      if (reason !== null) return reason;
    }
    return this.#settle();
  }

  async #signatures(heads: readonly string[]): Promise<string | null> {
    if (this.#rule.reject_unsigned_commits === 0) return null;
    const { env = {}, known = [] } = this.#arrival;
    for await (const commits of newCommitObjects(this.#repo, heads, { env, known })) {
      // Commits created by the server are unsigned.
      const signed = commits.filter(({ oid }) => !this.#makerOf(oid).startsWith('server'));
      const reason = await this.#seen.signed.refuse(signed);
      if (reason !== null) return reason;
    }
    return null;
  }

  async #look(things: readonly NewCommitOrFile[]): Promise<string | null> {
    for (const thing of things) {
      const reason = thing.kind === 'commit' ? this.#pace.check(() => this.#commit(thing)) : await this.#file(thing);
      if (reason !== null) return reason;
      await this.#pace.yield();
    }
    return null;
  }

  #commit(commit: NewCommit): string | null {
    this.#madeBy = this.#makerOf(commit.oid);
    const reason = refuseCommit(this.#rule, this.#patterns, commit, this.#madeBy, this.#seen.pusher);
    if (reason === null && this.#rule.member_check === 1) {
      this.#seen.people.add('Committer', commit.committerEmail);
      this.#seen.people.add('Author', commit.authorEmail);
    }
    return reason;
  }

  #makerOf(oid: string): CommitOrigin {
    const { made } = this.#arrival;
    if (made === undefined) return 'somebody';
    const own = made.oids === 'all' || made.oids.includes(oid);
    if (made.from === 'commits') return own ? 'server from commits' : 'others';
    return own ? 'server' : 'somebody';
  }

  async #file(file: NewFile): Promise<string | null> {
    const reason = file.added ? this.#pace.check(() => refuseName(this.#rule, this.#patterns, file.path)) : null;
    // Commits derived from others contain only existing files, and merges of them.
    if (reason !== null || this.#madeBy === 'server from commits') return reason;
    const size = this.#sizes.take(file);
    return size.reason ?? (size.full ? this.#sizes.settle() : null);
  }
}
