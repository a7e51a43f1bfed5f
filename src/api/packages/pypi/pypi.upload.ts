import type { Project } from '../../../db/tables/projects.table.ts';
import type { BaseContext } from '../../../http/http.route.ts';
import { addFile, publish } from '../../../packages/package-registry.publish.ts';
import { discardOnError, receiveUpload, requireForm } from '../receive-upload.ts';
import { FIELDS, type FileMetadata, invalid, readDistribution } from './distribution.ts';
import { metadataDigest, wheelMetadata } from './wheel-metadata.ts';

/** Tools send a part for each classifier, requirement and URL of a package. */
const MAX_PARTS = 5_000;

/** Publishes a file from an upload of twine. @throws ApiError 400, 401, 403, 404 */
export async function storeDistribution(c: BaseContext, project: Project): Promise<void> {
  const { deps, caller } = c;
  requireForm(c, 'content');
  const upload = await receiveUpload(c, 'pypi', 'content', { parts: MAX_PARTS, keep: FIELDS });
  const { distribution, metadata } = await discardOnError(c, upload, async () => {
    const distribution = readDistribution(upload);
    return { distribution, metadata: await wheelMetadata(c, upload.file, distribution.fileName) };
  });
  const { fileName, about, facts: fileFacts, ...version } = distribution;
  const facts: FileMetadata = {
    ...fileFacts,
    ...(metadata === undefined ? {} : { metadata_sha256: metadataDigest(metadata) }),
  };
  const publication = { caller, projectId: project.id, type: 'pypi', ...version, files: [upload.file] };
  await publish(deps, publication, async (publishing) => {
    const { db, row } = publishing;
    const there = await db
      .selectFrom('package_files')
      .select('id')
      .where('package_id', '=', row.id)
      .where('file_name', '=', fileName)
      .where('status', '=', 'default')
      .executeTakeFirst();
    if (there !== undefined) throw invalid('File name has already been taken');
    await db
      .updateTable('packages')
      .set({ metadata: JSON.stringify(about) })
      .where('id', '=', row.id)
      .execute();
    await addFile(deps, publishing, upload.file, fileName, facts);
  });
}
