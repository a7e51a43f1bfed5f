import { today } from '../../../core/clock.ts';
import { countOf } from '../../../db/paginate.ts';
import type { Deps } from '../../../deps.ts';

/** Counts of a user: groups and projects with direct membership, issues and merge requests. */
export async function associationsOf({ db, clock }: Deps, userId: number) {
  const day = today(clock);
  const memberships = (type: 'group' | 'project') =>
    db
      .selectFrom('members')
      .select('id')
      .where('user_id', '=', userId)
      .where('source_type', '=', type)
      .where((eb) => eb.or([eb('expires_at', 'is', null), eb('expires_at', '>', day)]));
  return {
    groups_count: await countOf(db, memberships('group')),
    projects_count: await countOf(db, memberships('project')),
    issues_count: await countOf(db, db.selectFrom('issues').select('id').where('author_id', '=', userId)),
    merge_requests_count: await countOf(
      db,
      db.selectFrom('merge_requests').select('id').where('author_id', '=', userId),
    ),
  };
}
