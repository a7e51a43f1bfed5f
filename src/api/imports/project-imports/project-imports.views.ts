import type { Static } from 'typebox';
import { IMPORT_STATUS } from '../../../db/tables/bulk-imports.table.ts';
import type { Project } from '../../../db/tables/projects.table.ts';
import type { Deps } from '../../../deps.ts';
import type { ProjectImport } from './project-imports.responses.ts';

const MAX_FAILURES = 100;

/** Renders the import status of a project. */
export async function presentImported(deps: Deps, project: Project): Promise<Static<typeof ProjectImport>> {
  const entity = await deps.db
    .selectFrom('bulk_import_entities')
    .innerJoin('bulk_imports', 'bulk_imports.id', 'bulk_import_id')
    .select(['bulk_import_entities.id', 'bulk_import_entities.status', 'source_url'])
    .where('project_id', '=', project.id)
    .orderBy('bulk_import_entities.id', 'desc')
    .limit(1)
    .executeTakeFirst();
  const failures =
    entity === undefined
      ? []
      : await deps.db
          .selectFrom('bulk_import_failures')
          .selectAll()
          .where('entity_id', '=', entity.id)
          .orderBy('id')
          .limit(MAX_FAILURES)
          .execute();
  const stored = project.import_status as Static<typeof ProjectImport>['import_status'];
  const going = { [IMPORT_STATUS.created]: 'scheduled', [IMPORT_STATUS.started]: 'started' } as const;
  const imported = entity?.source_url === '' ? 'gitlab_project' : 'gitlab_project_migration';
  return {
    id: project.id,
    description: project.description,
    name: project.name,
    path: project.path,
    path_with_namespace: project.full_path,
    created_at: project.created_at,
    import_status: going[entity?.status as 0 | 1] ?? stored,
    import_type: entity === undefined ? (project.import_url === null ? null : 'git') : imported,
    correlation_id: null,
    failed_relations: failures.map((failure) => ({
      id: failure.id,
      created_at: failure.created_at,
      exception_class: failure.exception_class,
      exception_message: failure.exception_message,
      source: 'import',
      relation_name: failure.relation,
      line_number: null,
    })),
    import_error: project.import_error,
    stats: null,
  };
}
