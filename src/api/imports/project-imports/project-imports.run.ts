import type { BulkImportEntity } from '../../../db/tables/bulk-import-entities.table.ts';
import type { Deps } from '../../../deps.ts';
import { InvalidImportObject } from '../../../import-export/imports/coerce-import.ts';
import { PROJECT_FILES } from '../../../import-export/imports/import.archive.ts';
import { refreshOpened } from '../bulk-imports/bulk-imports.repository.ts';
import { type FileRun, registerFileImport } from '../file-import.ts';
import { fetchArchive } from './fetch-archive.ts';
import {
  applyAttributes,
  importBundle,
  importLfs,
  importRelationFiles,
  importUploads,
  type ProjectImport,
} from './import-project.ts';
import { FILE_IMPORT, type FileImport } from './project-imports.jobs.ts';
import { replaceProject } from './replace.ts';

/** @throws InvalidImportObject, InvalidImportFile for permanent failures; Stopped */
async function bring(deps: Deps, { job, entity, caller, signal, unpack }: FileRun<FileImport>): Promise<void> {
  const project = await deps.db
    .selectFrom('projects')
    .selectAll()
    .where('id', '=', entity.project_id ?? 0)
    .executeTakeFirst();
  if (project === undefined || caller === undefined)
    throw new InvalidImportObject('the user who started the import, or the project, was deleted');
  const files = await unpack(job.archive ?? (await fetchArchive(deps, job.source ?? '', signal)), PROJECT_FILES);
  const projectImport: ProjectImport = {
    deps,
    entity,
    project,
    caller,
    files,
    overridden: new Set(job.overridden),
    signal,
  };
  const attributes = await applyAttributes(projectImport);
  await importBundle(projectImport, attributes);
  await importUploads(projectImport);
  await importLfs(projectImport);
  await importRelationFiles(projectImport);
  await refreshOpened(deps, project);
  if (job.replaces !== undefined) await replaceProject(deps, caller, project, job.replaces);
}

/** Stores the reason of the failure with the project. */
const fail = ({ db }: Deps, { project_id }: BulkImportEntity, message: string) =>
  db
    .updateTable('projects')
    .set({ import_status: 'failed', import_error: message, repository_read_only: 0 })
    .where('id', '=', project_id)
    .execute();

/** Registers the job that imports projects from archives. */
export function registerFileImports(deps: Deps): void {
  registerFileImport(
    deps,
    FILE_IMPORT,
    (run) => bring(deps, run),
    (entity, message) => fail(deps, entity, message),
  );
}
