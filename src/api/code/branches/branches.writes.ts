import type { UserCaller } from '../../../access/caller.ts';
import { notFound, refused } from '../../../core/core.errors.ts';
import type { Project } from '../../../db/tables/projects.table.ts';
import type { Deps } from '../../../deps.ts';
import { writeActions } from '../../../git/commits/index.ts';
import { GitError, isValidBranchName, isValidRefName } from '../../../git/common/index.ts';
import { HEADS, type Ref } from '../../../git/refs/index.ts';
import { type Repository, resolveRevision } from '../../../git/repository/index.ts';
import { cannotCreateBranch, refuseRefConflict } from '../../../repositories/branch-names.ts';
import { changeOneRef } from '../../../repositories/change-one-ref.ts';
import { inRepositoryQueue } from '../../../repositories/change-refs.ts';
import type { Actor } from '../../../repositories/repository.protections.ts';

/** Maximum length of client input repeated in a message. */
const MAX_ECHO = 255;

/** Returns a branch by name. @throws ApiError 400 for an invalid name, 404 `404 Branch Not Found` */
export async function findBranch(repo: Repository, name: string): Promise<Ref> {
  if (!isValidRefName(HEADS + name)) throw refused('The branch refname is invalid');
  const oid = await repo.refs.resolve(HEADS + name);
  if (oid === null) throw notFound('Branch');
  return { name: HEADS + name, oid };
}

/**
 * Creates a branch from a branch, tag or commit (part 1, section 4.3). In an empty repository the default branch is
 * created first, since there is nothing to start from.
 * @throws ApiError 400 with the platform's text
 */
export async function createBranch(
  deps: Deps,
  project: Project,
  actor: Actor & { caller: UserCaller },
  name: string,
  from: string,
): Promise<Ref> {
  if (!isValidBranchName(name)) throw refused('Branch name is invalid');
  const ref = HEADS + name;
  return inRepositoryQueue(deps, project, async (repo) => {
    const begun = await beginDefaultBranch(deps, repo, project, actor, from);
    if (begun?.name === ref) return begun;
    if ((await repo.refs.resolve(ref)) !== null) throw refused('Branch already exists');
    const start = await resolveRevision(repo, from);
    if (start === null) throw cannotCreateBranch(name, `invalid reference name '${from.slice(0, MAX_ECHO)}'`);
    try {
      await changeOneRef(deps, repo, project, actor, { ref, old: null, new: start.oid });
    } catch (error) {
      if (!(error instanceof GitError) || error.code !== 'conflict') throw error;
      await refuseRefConflict(repo, name);
      // Created meanwhile by another process.
      throw refused('Branch already exists');
    }
    return { name: ref, oid: start.oid };
  });
}

/**
 * Creates the default branch of an empty repository, with an empty README.md.
 * @param from requested start; the repository stays empty unless it names the default branch
 * @returns null if there already is a branch
 */
async function beginDefaultBranch(
  deps: Deps,
  repo: Repository,
  project: Project,
  actor: Actor & { caller: UserCaller },
  from: string,
): Promise<Ref | null> {
  const name = await repo.refs.head();
  if (name === null || !['HEAD', name, `heads/${name}`, HEADS + name].includes(from)) return null;
  if ((await repo.refs.list(HEADS)).length > 0) return null;
  const { user } = actor.caller;
  const identity = { name: user.name, email: user.commit_email ?? user.email, date: deps.clock.now() };
  const { oid } = await writeActions(repo, {
    base: null,
    actions: [{ action: 'create', path: 'README.md', content: Buffer.alloc(0) }],
    author: identity,
    committer: identity,
    message: 'Add README.md',
  });
  try {
    await changeOneRef(deps, repo, project, actor, { ref: HEADS + name, old: null, new: oid });
  } catch (error) {
    // Created meanwhile by another process.
    if (error instanceof GitError && error.code === 'conflict') return null;
    throw error;
  }
  return { name: HEADS + name, oid };
}

/**
 * Deletes a branch (part 1, section 4.3), but neither the default branch nor a protected one.
 * @param check receives the branch before deletion; may throw
 * @throws ApiError 400 with an explanation, 404
 */
export async function deleteBranch(
  deps: Deps,
  project: Project,
  actor: Actor,
  name: string,
  check: (repo: Repository, branch: Ref) => Promise<void>,
): Promise<void> {
  await inRepositoryQueue(deps, project, async (repo) => {
    const branch = await findBranch(repo, name);
    await check(repo, branch);
    try {
      await changeOneRef(deps, repo, project, actor, { ref: branch.name, old: branch.oid, new: null });
    } catch (error) {
      if (error instanceof GitError && error.code === 'conflict') throw refused('Failed to remove branch');
      throw error;
    }
  });
}
