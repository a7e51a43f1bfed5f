import { ApiError, badRequest, notFound } from '../../../core/core.errors.ts';
import type { BaseContext } from '../../../http/http.route.ts';
import { addFile, publish } from '../../../packages/package-registry.publish.ts';
import type { ProjectScope } from '../../api.access.ts';
import { receiveUpload } from '../receive-upload.ts';
import { fileOfRevision } from './conan.find.ts';
import {
  DEFAULT_REVISION,
  MANIFEST,
  type RecipeParams,
  type RevisionParams,
  recipeOf,
  requireFileName,
  revisionOf,
} from './conan.names.ts';

const taken = () =>
  new ApiError(
    400,
    'Validation failed: File name already exists for the given recipe revision, package reference, and package revision',
  );

/**
 * Publishes a file of a revision. Until the revision is complete, the same bytes are accepted again, for clients whose
 * upload was interrupted. Without revisions, a new upload is kept beside the previous one and read instead of it.
 * @throws ApiError 400, 401, 403, 404
 */
export async function storeConanFile(
  c: BaseContext & ProjectScope,
  params: RecipeParams & RevisionParams & { file_name: string },
  key = revisionOf(params),
): Promise<void> {
  const { deps, caller, project, request } = c;
  const recipe = recipeOf(params);
  const { file_name: fileName, package_version: version } = params;
  requireFileName(fileName, key);
  // Clients check whether the bytes are already stored before they upload them.
  if (request.headers['x-checksum-deploy'] === 'true') throw notFound('Non checksum storage');
  const empty = () => badRequest('The file is empty');
  const { file } = await receiveUpload(c, 'conan', 'file', undefined, empty);
  // The info file of a package without settings and options is empty.
  const mayBeEmpty = fileName === 'conaninfo.txt';
  if (file.size === 0 && !mayBeEmpty) throw empty();
  const publication = {
    caller,
    projectId: project.id,
    type: 'conan',
    name: recipe,
    version,
    versionKey: '',
    files: [file],
  };
  await publish(deps, publication, async (publishing) => {
    const { db, row } = publishing;
    const there = await fileOfRevision(db, row.id, key, fileName);
    const isSame = there?.sha256 === file.sha256;
    if (there === undefined || (key.recipe === DEFAULT_REVISION && !isSame)) {
      return addFile(deps, publishing, file, fileName, key);
    }
    if (key.recipe === DEFAULT_REVISION) return there;
    if (!isSame || (await fileOfRevision(db, row.id, key, MANIFEST)) !== undefined) throw taken();
    return there;
  });
}
