import { sql } from 'kysely';
import type { Static } from 'typebox';
import { pluck } from '../../../core/pluck.ts';
import type { PackageFile as Row } from '../../../db/tables/package-files.table.ts';
import type { Deps } from '../../../deps.ts';
import { presentPipelines } from '../packages/packages.view-rows.ts';
import type { PackageProject } from '../packages/packages.views.ts';
import type { PackageFile } from './package-files.responses.ts';

/** Renders files of packages of one project; with pipelines two more queries. */
export async function presentFiles(
  deps: Deps,
  rows: readonly Row[],
  { project, seesPipelines }: PackageProject,
): Promise<Static<typeof PackageFile>[]> {
  const pipelineRows = seesPipelines ? await pipelinesOfFiles(deps, project.id, rows) : [];
  const shown = await presentPipelines(
    deps,
    pipelineRows,
    new Map([[project.id, `${deps.externalUrl()}/${project.full_path}`]]),
  );
  const pipelines = new Map(pipelineRows.map(({ package_file_id }, at) => [package_file_id, shown[at]!]));
  return rows.map((row) => {
    const pipeline = pipelines.get(row.id);
    return {
      id: row.id,
      package_id: row.package_id,
      created_at: row.created_at,
      file_name: row.file_name,
      size: row.size,
      file_md5: row.md5,
      file_sha1: row.sha1,
      file_sha256: row.sha256,
      ...(pipeline === undefined ? {} : { pipelines: [pipeline] }),
    };
  });
}

/**
 * Loads the last pipeline of the project that published each file; pipelines of other projects may be hidden from
 * readers.
 */
const pipelinesOfFiles = async ({ db }: Deps, projectId: number, rows: readonly Row[]) =>
  rows.length === 0
    ? []
    : db
        .selectFrom('pipelines')
        .innerJoin(
          (eb) =>
            eb
              .selectFrom('package_pipelines')
              .innerJoin('pipelines as built', 'built.id', 'package_pipelines.pipeline_id')
              .select(['package_file_id', sql<number>`max(built.id)`.as('last_id')])
              .where('built.project_id', '=', projectId)
              .where('package_file_id', 'in', pluck(rows, 'id'))
              .groupBy('package_file_id')
              .as('last'),
          (join) => join.onRef('last.last_id', '=', 'pipelines.id'),
        )
        .selectAll('pipelines')
        .select('last.package_file_id')
        .execute();
