import type { Db } from '../../../db/db.schema.ts';

/** Query for the projects on the job token allowlist of a project; the project itself comes first. */
export function listedProjects(db: Db, projectId: number) {
  return db
    .selectFrom('projects')
    .selectAll()
    .where('pending_delete', '=', 0)
    .where((eb) =>
      eb.or([
        eb('id', '=', projectId),
        eb(
          'id',
          'in',
          eb
            .selectFrom('ci_job_token_links')
            .select((of) => of.ref('target_project_id').$notNull().as('id'))
            .where('source_project_id', '=', projectId)
            .where('target_project_id', 'is not', null),
        ),
      ]),
    )
    .orderBy('id');
}

/** Query for the groups on the job token allowlist of a project. */
export function listedGroups(db: Db, projectId: number) {
  return db
    .selectFrom('namespaces')
    .selectAll()
    .where('id', 'in', (eb) =>
      eb
        .selectFrom('ci_job_token_links')
        .select((of) => of.ref('target_group_id').$notNull().as('id'))
        .where('source_project_id', '=', projectId)
        .where('target_group_id', 'is not', null),
    )
    .orderBy('id');
}

/** Counts the projects and groups on the job token allowlist of a project. */
export async function countLinks(db: Db, projectId: number): Promise<number> {
  const { count } = await db
    .selectFrom('ci_job_token_links')
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .where('source_project_id', '=', projectId)
    .executeTakeFirstOrThrow();
  return Number(count);
}
