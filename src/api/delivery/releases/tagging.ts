import type { UserCaller } from '../../../access/caller.ts';
import type { CallerInProject } from '../../../access/caller-in-project.ts';
import { refused } from '../../../core/core.errors.ts';
import type { Deps } from '../../../deps.ts';
import type { Commit } from '../../../git/git.objects.ts';
import type { Repository } from '../../../git/git.repository.ts';
import { TAGS } from '../../../git/ref-folders.ts';
import { peel } from '../../../git/revision.ts';
import { repositoryOf } from '../../../repositories/change-refs.ts';
import { createTag } from '../../code/index.ts';
import type { NewRelease } from './releases.inputs.ts';
import { requireMayTag } from './releases.rules.ts';

/** A tag that is there, and the commit that it names; null where it names none. */
export interface Tagged {
  oid: string;
  commit: Commit | null;
}

/** What a tag is; null for none of that name. */
export const tagOid = (repo: Repository, tag: string): Promise<string | null> => repo.refs.resolve(TAGS + tag);

/**
 * The tag of a new release, which is made where there is none. Call it outside the queue of the repository.
 * @throws ApiError 400 for a name or ref that is none, 403 where the tag was protected meanwhile, 422 where there is no tag and no ref
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
      // Made meanwhile by somebody else: then it is there all the same.
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
