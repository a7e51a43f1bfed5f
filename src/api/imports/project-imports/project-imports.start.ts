import type { UserCaller } from '../../../access/caller.ts';
import { projectPermissions } from '../../../access/permissions.ts';
import { project as onProject, recordAudit } from '../../../audit/record.audit.ts';
import { forbidden } from '../../../core/core.errors.ts';
import { randomText } from '../../../core/core.secrets.ts';
import type { Project } from '../../../db/tables/projects.table.ts';
import type { Deps } from '../../../deps.ts';
import type { StoredBlob } from '../../../storage/blob-store.ts';
import { createProjectByInput, findPlacement, personalNamespace } from '../../spaces/index.ts';
import { insertFileImport } from '../file-import.ts';
import { SOURCE_PURPOSE } from './fetch-archive.ts';
import type { ImportTarget } from './project-imports.inputs.ts';
import { FILE_IMPORT } from './project-imports.jobs.ts';
import { findReplaced } from './replace.ts';

/** The archive, or the URL to download it from. */
export type ArchiveSource = StoredBlob | { url: string };

/**
 * Creates a project and starts the import of an archive into it.
 * @throws ApiError 400 with errors by field; 403 without the right, also to overwrite an existing project; 404 for a
 * namespace hidden from the caller
 */
export async function startFileImport(
  deps: Deps,
  caller: UserCaller,
  input: ImportTarget,
  source: ArchiveSource,
): Promise<Project> {
  const idOrPath = input.namespace_id ?? input.namespace_path ?? input.namespace;
  const namespace =
    idOrPath === undefined
      ? await personalNamespace(deps, caller.user)
      : await findPlacement(deps, caller, String(idOrPath));
  const { path, name = path, override_params: overridden = {} } = input;
  const replaced = input.overwrite === true ? await findReplaced(deps.db, namespace, path) : undefined;
  if (replaced !== undefined) {
    const permissions = await projectPermissions(deps, caller, replaced, namespace);
    if (!permissions.can('remove_project')) throw forbidden();
  }
  const aside = `${path.slice(0, 200)}-${randomText(12).toLowerCase()}`;
  const called = replaced === undefined ? { name, path } : { name: aside, path: aside };
  const object = { visibility: 'private', ...overridden, ...called, namespace_id: namespace.id } as const;
  return createProjectByInput(deps, caller, caller.user, object, {
    transactionHook: async (db, { id }) => {
      const entity_id = await insertFileImport(deps, db, caller.user.id, {
        entity_type: 'project',
        destination_slug: path,
        destination_namespace: namespace.full_path,
        project_id: id,
        migrate_memberships: 0,
      });
      await deps.jobs.enqueue(
        db,
        FILE_IMPORT,
        {
          entity_id,
          ...('url' in source
            ? { archive: null, source: deps.secrets.seal(source.url, SOURCE_PURPOSE) }
            : { archive: source }),
          overridden: Object.keys(overridden),
          ...(replaced === undefined ? {} : { replaces: { name, path } }),
        },
        { projectId: id },
      );
      await recordAudit(deps, db, {
        name: 'project_import_created',
        entity: onProject(id),
        message: 'Project import from an archive started',
      });
    },
  });
}
