import { PAGE, pagedRelation } from './relation.ts';

/** Releases of a project with their links and milestones. */
export const releases = pagedRelation('releases', async ({ db, portable, names }, after) => {
  const rows = await db
    .selectFrom('releases')
    .selectAll()
    .where('project_id', '=', portable.id)
    .where('id', '>', after)
    .orderBy('id')
    .limit(PAGE)
    .execute();
  const ids = rows.map(({ id }) => id);
  const links = await db.selectFrom('release_links').selectAll().where('release_id', 'in', ids).orderBy('id').execute();
  const milestones = await db
    .selectFrom('milestone_releases')
    .innerJoin('milestones', 'milestones.id', 'milestone_id')
    .select(['release_id', 'title'])
    .where('release_id', 'in', ids)
    .execute();
  return rows.map(({ id, tag, name, description, sha, author_id, released_at, created_at, updated_at }) => {
    names(author_id);
    return {
      key: id,
      object: {
        ...{ id, tag, name, description, sha, author_id, released_at, created_at, updated_at },
        links: links
          .filter(({ release_id }) => release_id === id)
          .map(({ name, url, filepath, link_type }) => ({ name, url, filepath, link_type })),
        milestone_releases: milestones
          .filter(({ release_id }) => release_id === id)
          .map(({ title }) => ({ milestone: { title } })),
      },
    };
  });
});
