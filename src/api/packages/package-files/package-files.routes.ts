import { Type } from 'typebox';
import type { Db } from '../../../db/db.schema.ts';
import { checkUnmodifiedSince } from '../../../http/conditional.ts';
import { type Route, route } from '../../../http/http.route.ts';
import { blobSuccess } from '../../../http/send-blob.ts';
import { destroyFiles } from '../../../packages/package-registry.destroy.ts';
import { INSTALLABLE } from '../../../packages/package-registry.find.ts';
import { inProject } from '../../api.access.ts';
import { packageProject } from '../packages/package-projects.ts';
import { findPackage, packageNotFound } from '../packages/packages.find.ts';
import { PackageId } from '../packages/packages.inputs.ts';
import { readsPackages } from '../registries.access.ts';
import { READ_PACKAGES, WITH_DEPLOY_AND_JOB_TOKENS, WRITE_PACKAGES } from '../registries.credentials.ts';
import { sendPackageFile } from '../registries.send-file.ts';
import { listFiles, PackageFileId } from './package-files.inputs.ts';
import { PackageFile } from './package-files.responses.ts';
import { presentFiles } from './package-files.views.ts';

const shared = { tag: 'Packages', credentials: WITH_DEPLOY_AND_JOB_TOKENS } as const;
const ALL = '/projects/:id/packages/:package_id/package_files';
const ONE = `${ALL}/:package_file_id`;

const filesOf = (db: Db, packageId: number) =>
  db
    .selectFrom('package_files')
    .selectAll()
    .where('package_files.package_id', '=', packageId)
    .where('package_files.status', '=', 'default');

/** Files of packages of all types (part 1, section 4.7). */
export const packageFileRoutes: readonly Route[] = [
  route({
    ...shared,
    method: 'GET',
    path: ALL,
    operationId: 'listProjectPackageFiles',
    summary: 'List the files of a package',
    access: readsPackages,
    scopes: READ_PACKAGES,
    params: PackageId,
    input: listFiles,
    success: { status: 200, schema: Type.Array(PackageFile) },
    handler: async (c) => {
      const { id } = await findPackage(c.deps.db, c.project.id, c.params.package_id);
      const { order_by = 'id', sort = 'asc' } = c.input;
      const query = filesOf(c.deps.db, id).orderBy(order_by, sort);
      return c.page(order_by === 'id' ? query : query.orderBy('id', sort), (rows) =>
        presentFiles(c.deps, rows, packageProject(c.project, c.permissions)),
      );
    },
  }),
  route({
    ...shared,
    ...blobSuccess('application/octet-stream', 'The file.'),
    method: 'GET',
    path: `${ONE}/download`,
    operationId: 'downloadPackageFile',
    summary: 'Download a file of a package',
    access: readsPackages,
    scopes: READ_PACKAGES,
    params: PackageFileId,
    handler: async (c) => {
      const { id } = await findPackage(c.deps.db, c.project.id, c.params.package_id, INSTALLABLE);
      const file = await filesOf(c.deps.db, id).where('id', '=', c.params.package_file_id).executeTakeFirst();
      if (file === undefined) throw packageNotFound();
      return sendPackageFile(c, file, file.file_name.split('%2F').at(-1));
    },
  }),
  route({
    ...shared,
    method: 'DELETE',
    path: ONE,
    operationId: 'deleteProjectPackageFile',
    summary: 'Delete a file of a package',
    description: 'Takes effect immediately. The package may be unusable without the file.',
    access: inProject('destroy_package'),
    scopes: WRITE_PACKAGES,
    params: PackageFileId,
    success: { status: 204, empty: true },
    errors: [412],
    handler: async ({ deps, caller, project, params, request }) => {
      const { id } = await findPackage(deps.db, project.id, params.package_id);
      await destroyFiles(deps, { caller, projectId: project.id }, [params.package_file_id], {
        check: ({ package_id, updated_at }) => {
          if (package_id !== id) throw packageNotFound();
          checkUnmodifiedSince(request, updated_at);
        },
      });
    },
  }),
];
