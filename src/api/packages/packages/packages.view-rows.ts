import { sql } from 'kysely';
import { pluck } from '../../../core/pluck.ts';
import type { Db } from '../../../db/db.schema.ts';
import type { Package } from '../../../db/tables/packages.table.ts';
import type { Pipeline } from '../../../db/tables/pipelines.table.ts';
import type { Deps } from '../../../deps.ts';
import { presentPipelineBasic } from '../../code/index.ts';
import { userBasic, usersById } from '../../identity/index.ts';

/** Loads the tags of packages, by package id. */
export async function tagsOf(db: Db, packageIds: readonly number[]) {
  const rows =
    packageIds.length === 0
      ? []
      : await db
          .selectFrom('package_tags')
          .select(['id', 'package_id', 'name', 'created_at', 'updated_at'])
          .where('package_id', 'in', packageIds)
          .orderBy('package_id')
          .orderBy('name')
          .execute();
  return Map.groupBy(rows, ({ package_id }) => package_id);
}

/** Renders pipelines for packages; one query. @param webUrls URLs of projects by id */
export async function presentPipelines(
  deps: Pick<Deps, 'db' | 'externalUrl'>,
  pipelines: readonly Pipeline[],
  webUrls: ReadonlyMap<number, string>,
) {
  const users = await usersById(deps.db, pluck(pipelines, 'user_id'));
  return pipelines.map((pipeline) => {
    const user = users.get(pipeline.user_id ?? 0);
    return {
      ...presentPipelineBasic(pipeline, webUrls.get(pipeline.project_id)!),
      user: user === undefined ? null : userBasic(deps, user),
    };
  });
}

/** Loads the last pipeline of its own project that published each package, by package id; two queries. */
export async function lastPipelines(
  deps: Pick<Deps, 'db' | 'externalUrl'>,
  packageIds: readonly number[],
  webUrls: ReadonlyMap<number, string>,
) {
  if (packageIds.length === 0) return new Map();
  const rows = await deps.db
    .selectFrom('pipelines')
    .innerJoin(
      (eb) =>
        eb
          .selectFrom('package_pipelines')
          .innerJoin('packages', 'packages.id', 'package_pipelines.package_id')
          .innerJoin('pipelines as built', (join) =>
            join
              .onRef('built.id', '=', 'package_pipelines.pipeline_id')
              .onRef('built.project_id', '=', 'packages.project_id'),
          )
          .select(['package_id', sql<number>`max(built.id)`.as('last_id')])
          .where('package_id', 'in', packageIds)
          .where('package_file_id', 'is', null)
          .groupBy('package_id')
          .as('last'),
      (join) => join.onRef('last.last_id', '=', 'pipelines.id'),
    )
    .selectAll('pipelines')
    .select('last.package_id')
    .execute();
  const shown = await presentPipelines(deps, rows, webUrls);
  return new Map(rows.map(({ package_id }, at) => [package_id, shown[at]!]));
}

/**
 * Query for the pipelines of its own project that published a package, newest first; pipelines of other projects may be
 * hidden from readers.
 */
export const pipelinesOf = (db: Db, { id, project_id }: Pick<Package, 'id' | 'project_id'>) =>
  db
    .selectFrom('package_pipelines')
    .innerJoin('pipelines', 'pipelines.id', 'package_pipelines.pipeline_id')
    .selectAll('pipelines')
    .where('package_pipelines.package_id', '=', id)
    .where('pipelines.project_id', '=', project_id)
    .where('package_pipelines.package_file_id', 'is', null)
    .orderBy('package_pipelines.pipeline_id', 'desc');
