import { PAGE, pagedRelation } from './relation.ts';

/** Pipeline schedules of a project, without their variables, which are secret. */
export const pipelineSchedules = pagedRelation('pipeline_schedules', async ({ db, portable, names }, after) => {
  const rows = await db
    .selectFrom('ci_pipeline_schedules')
    .select(['id', 'description', 'ref', 'cron', 'cron_timezone', 'active', 'owner_id', 'created_at', 'updated_at'])
    .where('project_id', '=', portable.id)
    .where('id', '>', after)
    .orderBy('id')
    .limit(PAGE)
    .execute();
  return rows.map(({ id, active, ...row }) => {
    names(row.owner_id);
    return { key: id, object: { ...row, active: active === 1 } };
  });
});
