import type { UserCaller } from '../../../access/caller.ts';
import type { CallerInProject } from '../../../access/caller-in-project.ts';
import { refused } from '../../../core/core.errors.ts';
import type { Deps } from '../../../deps.ts';
import type { Commit } from '../../../git/objects/index.ts';
import { TAGS } from '../../../git/refs/index.ts';
import { peel, type Repository } from '../../../git/repository/index.ts';
import { repositoryOf } from '../../../repositories/change-refs.ts';
import { createTag } from '../../code/index.ts';
import type { NewRelease } from './releases.inputs.ts';
import { requireMayTag } from './releases.rules.ts';

/** An existing tag and its commit; null if it does not name a commit. */
export interface Tagged {
  oid: string;
  commit: Commit | null;
}

/** Returns the object id of a tag; null if it does not exist. */
export const tagOid = (repo: Repository, tag: string): Promise<string | null> => repo.refs.resolve(TAGS + tag);

/**
 * Returns the tag of a new release, creating it if necessary. Call it outside the queue of the repository.
 * @throws ApiError 400 for an invalid name or ref, 403 if the tag was protected meanwhile, 422 if there is neither tag
 * nor ref
 */
export async function ensureTag(
  deps: Deps,
  scope: CallerInProject<UserCaller>,
  { tag_name, ref, tag_message }: Pick<NewRelease, 'tag_name' | 'ref' | 'tag_message'>,
): Promise<Tagged> {
  const { project } = scope;
  const repo = repositoryOf(deps, project);
  let oid = await tagOid(repo, tag_name);
  if (oid === null) {
    if (ref == null || ref === '') throw refused('Ref is not specified', 422);
    try {
      oid = (await createTag(deps, project, scope, { name: tag_name, target: ref, message: tag_message ?? '' })).oid;
    } catch (error) {
      // Created meanwhile by another request: the tag exists all the same.
      oid = await tagOid(repo, tag_name);
      if (oid === null) {
        await requireMayTag(deps, scope, tag_name);
        throw error;
      }
    }
  }
  const peeled = await peel(repo, oid);
  return { oid, commit: peeled === null ? null : await repo.objects.commit(peeled) };
}
