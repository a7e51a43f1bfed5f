import { ApiError, badRequest, notFound } from '../../../core/errors.ts';
import type { BaseContext } from '../../../http/route.ts';
import { addFile, publish } from '../../../packages/publish.ts';
import type { ProjectScope } from '../../access.ts';
import { receiveUpload } from '../receive-upload.ts';
import { fileOfRevision } from './find.ts';
import { MANIFEST, type RecipeParams, type RevisionParams, recipeOf, requireFileName, revisionOf } from './names.ts';

const taken = () =>
  new ApiError(
    400,
    'Validation failed: File name already exists for the given recipe revision, package reference, and package revision',
  );

/**
 * Publishes a file of a revision. While that is not whole the same bytes are taken again, from clients whose upload was cut off.
 * @throws ApiError 400, 401, 403, 404
 */
export async function storeConanFile(
  c: BaseContext & ProjectScope,
  params: RecipeParams & RevisionParams & { file_name: string },
): Promise<void> {
  const { deps, caller, project, request } = c;
  const recipe = recipeOf(params);
  const key = revisionOf(params);
  const { file_name: fileName, package_version: version } = params;
  requireFileName(fileName, key);
  // Clients ask so whether the bytes are there already; then they send them.
  if (request.headers['x-checksum-deploy'] === 'true') throw notFound('Non checksum storage');
  const { file } = (await receiveUpload(c, 'conan', 'file')) ?? {};
  // A binary that depends on no settings and options has nothing to say of itself.
  const mayBeEmpty = fileName === 'conaninfo.txt';
  if (file === undefined || (file.size === 0 && !mayBeEmpty)) throw badRequest('The file is empty');
  const names = { name: recipe, version, nameKey: recipe, versionKey: '' };
  const publication = { caller, projectId: project.id, type: 'conan', ...names, files: [file] } as const;
  await publish(deps, publication, async (publishing) => {
    const { db, row } = publishing;
    const there = await fileOfRevision(db, row.id, key, fileName);
    if (there === undefined) return addFile(deps, publishing, file, fileName, key);
    if (there.sha256 !== file.sha256 || (await fileOfRevision(db, row.id, key, MANIFEST)) !== undefined) throw taken();
    return there;
  });
}
