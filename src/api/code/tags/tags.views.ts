import { type Ref, TAGS } from '../../../git/refs/index.ts';
import { peel, type Repository } from '../../../git/repository/index.ts';
import { type Protection, protectionsOf } from '../../../repositories/repository.protections.ts';
import type { TagRelease } from '../../../repositories/tag-releases.ts';
import { commitDate, presentCommit } from '../commits/commits.views.ts';
import type { TagJson } from './tags.inputs.ts';

/**
 * Renders a tag.
 * @param webUrl URL of the project
 * @param release undefined if it has none
 */
export async function presentTag(
  repo: Repository,
  ref: Ref,
  protections: readonly Protection[],
  webUrl: string,
  release: TagRelease | undefined,
): Promise<TagJson> {
  const name = ref.name.slice(TAGS.length);
  const direct = await repo.objects.commit(ref.oid);
  const tag = direct === null ? await repo.objects.tag(ref.oid) : null;
  const peeled = tag === null ? null : tag.type === 'commit' ? tag.object : await peel(repo, ref.oid);
  const commit = direct ?? (peeled === null ? null : await repo.objects.commit(peeled));
  return {
    name: name.toWellFormed(),
    message: tag === null ? null : tag.message.replace(/\n$/, ''),
    target: ref.oid,
    commit: commit === null ? null : presentCommit(commit, webUrl),
    release: release === undefined ? null : { tag_name: release.tag_name, description: release.description },
    protected: protectionsOf(protections, 'tag', name).length > 0,
    created_at: tag?.tagger == null ? null : commitDate(tag.tagger),
  };
}
