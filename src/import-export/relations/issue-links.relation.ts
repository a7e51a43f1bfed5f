import { pluck } from '../../core/pluck.ts';
import { PAGE, pagedRelation } from './relation.ts';

/** Links between issues of the project, by source issue. Links to other projects are not exported. */
export const issueLinks = pagedRelation('issue_links', async ({ db, portable }, after) => {
  const rows = await db
    .selectFrom('issues')
    .select(['id', 'iid'])
    .where('project_id', '=', portable.id)
    .where('iid', '>', after)
    .where((eb) =>
      eb.exists(eb.selectFrom('issue_links').select('issue_links.id').whereRef('source_id', '=', 'issues.id')),
    )
    .orderBy('iid')
    .limit(PAGE)
    .execute();
  const links = await db
    .selectFrom('issue_links')
    .innerJoin('issues', 'issues.id', 'target_id')
    .select(['source_id', 'iid as target_iid', 'link_type', 'issue_links.created_at', 'issue_links.updated_at'])
    .where('source_id', 'in', pluck(rows, 'id'))
    .where('project_id', '=', portable.id)
    .orderBy('issue_links.id')
    .execute();
  return rows.map(({ id, iid }) => ({
    key: iid,
    object: {
      iid,
      links: links.flatMap(({ source_id, ...link }) => (source_id === id ? [link] : [])),
    },
  }));
});
