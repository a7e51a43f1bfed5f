import { randomBytes } from 'node:crypto';
import type { Static } from 'typebox';
import { invalidParameter } from '../../../core/core.errors.ts';
import type { Deps } from '../../../deps.ts';
import { contentOfFile } from '../../../git/files/index.ts';
import { UploadedFile } from '../../../http/params/uploaded-file.ts';
import { markdownOf, uploadName } from '../../spaces/index.ts';
import type { WikiAttachment } from './wikis.responses.ts';
import { commitToWiki, type WikiChange } from './wikis.writes.ts';

/** Folder of attachments. */
export const FOLDER = 'uploads';

/** Commits an attachment, in a folder of its own. @throws ApiError 400 for an invalid file */
export async function attach(
  deps: Deps,
  change: WikiChange,
  file: UploadedFile | string,
): Promise<Static<typeof WikiAttachment>> {
  if (!(file instanceof UploadedFile)) throw invalidParameter('file is invalid');
  const file_name = uploadName(file.filename);
  const file_path = `${FOLDER}/${randomBytes(16).toString('hex')}/${file_name}`;
  const content = await contentOfFile(file.path);
  const { branch } = await commitToWiki(deps, change, () => ({
    actions: [{ action: 'create', path: file_path, content }],
    message: `Upload attachment ${file_name}`,
  }));
  return {
    file_name,
    file_path,
    branch,
    link: { url: file_path, markdown: markdownOf(file_name, file_path).markdown },
  };
}
