import { pluck } from '../../core/pluck.ts';
import { PAGE, pagedRelation } from './relation.ts';

/** Labels of a group or project, with their priorities in the project. */
export const labels = pagedRelation('labels', async ({ db, portable }, after) => {
  const rows = await db
    .selectFrom('labels')
    .selectAll()
    .where(`${portable.kind}_id`, '=', portable.id)
    .where('id', '>', after)
    .orderBy('id')
    .limit(PAGE)
    .execute();
  const priorities = await db
    .selectFrom('label_priorities')
    .select(['label_id', 'priority'])
    .where('label_id', 'in', pluck(rows, 'id'))
    .where('project_id', '=', portable.kind === 'project' ? portable.id : -1)
    .execute();
  return rows.map((row) => ({
    key: row.id,
    object: {
      id: row.id,
      title: row.name,
      color: row.color,
      description: row.description,
      archived: row.archived === 1,
      template: false,
      type: portable.kind === 'group' ? 'GroupLabel' : 'ProjectLabel',
      group_id: row.group_id,
      project_id: row.project_id,
      created_at: row.created_at,
      updated_at: row.updated_at,
      priorities: priorities.filter(({ label_id }) => label_id === row.id).map(({ priority }) => ({ priority })),
    },
  }));
});
