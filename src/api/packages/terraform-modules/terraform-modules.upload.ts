import { sql } from 'kysely';
import { lineageIds } from '../../../access/access.membership.ts';
import { refused } from '../../../core/core.errors.ts';
import type { Project } from '../../../db/tables/projects.table.ts';
import type { BaseContext } from '../../../http/http.route.ts';
import { othersBelow } from '../../../packages/package-registry.find.ts';
import { addFile, type PublishTransaction, publish } from '../../../packages/package-registry.publish.ts';
import { receiveUpload } from '../receive-upload.ts';
import { archiveName, checkModule, type ModuleName, packageName } from './terraform-modules.names.ts';

const DUPLICATE = 'A module with the same name & version already exists in the project.';
const NAME_TAKEN = 'A module with the same name already exists in the namespace.';

/** Publishes a version of a module. @throws ApiError 400, 401, 403, 404, 422 */
export async function storeModule(c: BaseContext, project: Project, name: ModuleName, version: string): Promise<void> {
  const { deps, caller } = c;
  checkModule(name, version);
  const upload = await receiveUpload(c, 'terraform_module', 'file');
  const module = { type: 'terraform_module', name: packageName(name), version };
  await publish(deps, { caller, projectId: project.id, ...module, files: [upload.file] }, async (publishing) => {
    if (!publishing.isNew) throw refused(DUPLICATE, 403);
    await requireFreeName(publishing);
    await addFile(deps, publishing, upload.file, archiveName(name, version));
  });
}

/**
 * Refuses a module name that another project below the same top-level group uses, since modules are identified by group
 * and name. Concurrent publications below the group wait.
 * @throws ApiError 403
 */
async function requireFreeName({ db, row, standing: scope }: PublishTransaction): Promise<void> {
  const [top] = lineageIds(scope.namespace.lineage);
  await db
    .updateTable('namespaces')
    // Locks the row on both engines.
    .set({ updated_at: sql<string>`updated_at` })
    .where('id', '=', top!)
    .execute();
  const other = await othersBelow(db, row, top!).where('packages.project_id', '<>', row.project_id).executeTakeFirst();
  if (other !== undefined) throw refused(NAME_TAKEN, 403);
}
