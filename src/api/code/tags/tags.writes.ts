import { forbidden, notFound, refused } from '../../../core/core.errors.ts';
import type { Project } from '../../../db/tables/projects.table.ts';
import type { User } from '../../../db/tables/users.table.ts';
import type { Deps } from '../../../deps.ts';
import { writeTag } from '../../../git/commits/index.ts';
import { GitError, isValidBranchName, isValidRefName } from '../../../git/common/index.ts';
import { type Ref, TAGS } from '../../../git/refs/index.ts';
import { type Repository, resolveRevision } from '../../../git/repository/index.ts';
import { changeOneRef } from '../../../repositories/change-one-ref.ts';
import { inRepositoryQueue } from '../../../repositories/change-refs.ts';
import { type Actor, loadProtections, protectionsOf } from '../../../repositories/repository.protections.ts';

/** Maximum length of client input repeated in a message. */
const MAX_ECHO = 255;
const MAINTAINER = 40;

/** Returns a tag by name. @throws ApiError 404 `404 Tag Not Found` */
export async function findTag(repo: Repository, name: string): Promise<Ref> {
  const oid = isValidRefName(TAGS + name) ? await repo.refs.resolve(TAGS + name) : null;
  if (oid === null) throw notFound('Tag');
  return { name: TAGS + name, oid };
}

export interface NewTagRequest {
  name: string;
  /** Branch, tag or commit. */
  target: string;
  /** Message of an annotated tag; blank for a lightweight tag. */
  message: string;
}

/** Creates a tag; an annotated one if there is a message. @throws ApiError 400 with the platform's text */
export async function createTag(
  deps: Deps,
  project: Project,
  actor: Actor & { caller: { user: User } },
  { name, target, message }: NewTagRequest,
): Promise<Ref> {
  if (!isValidBranchName(name)) throw refused('Tag name invalid');
  const ref = TAGS + name;
  return inRepositoryQueue(deps, project, async (repo) => {
    const taken = () => refused(`Tag ${name} already exists`);
    if ((await repo.refs.resolve(ref)) !== null) throw taken();
    const revision = await resolveRevision(repo, target);
    if (revision === null) throw refused(`Target ${target.slice(0, MAX_ECHO)} is invalid`);
    const oid =
      message.trim() === '' ? revision.oid : await annotate(deps, repo, actor.caller.user, name, revision.oid, message);
    try {
      await changeOneRef(deps, repo, project, actor, { ref, old: null, new: oid });
    } catch (error) {
      if (!(error instanceof GitError) || error.code !== 'conflict') throw error;
      // Created meanwhile by another process, or `a` conflicts with `a/b`.
      throw (await repo.refs.resolve(ref)) !== null ? taken() : refused('Tag name invalid');
    }
    return { name: ref, oid };
  });
}

const annotate = (deps: Deps, repo: Repository, user: User, name: string, object: string, message: string) =>
  writeTag(repo, {
    object,
    type: 'commit',
    name,
    tagger: { name: user.name, email: user.commit_email ?? user.email, date: deps.clock.now() },
    message,
  });

/**
 * Deletes a tag; protected tags take Maintainer.
 * @param check receives the tag before deletion; may throw
 * @throws ApiError 400, 403, 404
 */
export async function deleteTag(
  deps: Deps,
  project: Project,
  actor: Actor,
  name: string,
  check: (repo: Repository, tag: Ref) => Promise<void>,
): Promise<void> {
  await inRepositoryQueue(deps, project, async (repo) => {
    const tag = await findTag(repo, name);
    const protectedBy = protectionsOf(await loadProtections(deps, project.id), 'tag', name);
    if (protectedBy.length > 0 && actor.permissions.level < MAINTAINER) throw forbidden();
    await check(repo, tag);
    try {
      await changeOneRef(deps, repo, project, actor, { ref: tag.name, old: tag.oid, new: null });
    } catch (error) {
      if (error instanceof GitError && error.code === 'conflict') throw refused('Failed to remove tag');
      throw error;
    }
  });
}
