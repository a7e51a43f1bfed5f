import type { Static } from 'typebox';
import { Type } from 'typebox';
import { badRequest } from '../../../core/core.errors.ts';
import { type FileAction, withoutLeadingSlash } from '../../../git/commits/index.ts';
import { Content } from '../../../http/http.schema.ts';
import { decodeContent, type SentContent } from './commits.content.ts';

const ACTIONS = ['create', 'update', 'move', 'delete', 'chmod'] as const;

/** An action of a commit (part 1, section 4.2). `readActions` validates it, with the platform's messages. */
export const CommitAction = Type.Object({
  action: Type.Optional(Type.String({ description: 'create, delete, move, update or chmod.' })),
  file_path: Type.Optional(Type.String({ description: 'Full path of the file.' })),
  previous_path: Type.Optional(Type.String({ description: 'Original path of the file; only for `move`.' })),
  content: Type.Optional(Content({ description: 'Content of the file; a `move` without it keeps the content.' })),
  encoding: Type.Optional(Type.String({ default: 'text', description: 'text or base64.' })),
  last_commit_id: Type.Optional(
    Type.String({ description: 'Last known commit of the file; for `update`, `move` and `delete`.' }),
  ),
  execute_filemode: Type.Optional(Type.Boolean({ description: 'Whether the file is executable; for `chmod`.' })),
});
type ActionInput = Static<typeof CommitAction>;

const MAX_ACTIONS = 10_000;

/**
 * Validates the actions of a commit and converts them for the commit writer.
 * @throws ApiError 400 `400 Bad request - actions[0][file_path] is required` and the like
 */
export async function readActions(inputs: readonly ActionInput[]): Promise<FileAction[]> {
  if (inputs.length > MAX_ACTIONS) throw badRequest(`actions has too many elements (maximum is ${MAX_ACTIONS})`);
  return Promise.all(inputs.map((input, index) => readAction(input, `actions[${index}]`)));
}

async function readAction(input: ActionInput, name: string): Promise<FileAction> {
  const kind = ACTIONS.find((each) => each === input.action);
  if (!input.action) throw badRequest(`${name}[action] is required`);
  if (kind === undefined) throw badRequest(`${name}[action] must be one of: ${ACTIONS.join(', ')}`);
  if (!input.file_path) throw badRequest(`${name}[file_path] is required`);
  const encoding = input.encoding ?? 'text';
  if (encoding !== 'text' && encoding !== 'base64') throw badRequest(`${name}[encoding] must be text or base64`);
  const path = withoutLeadingSlash(input.file_path);
  const decode = async (content: SentContent) => decodeContent(content, encoding, `${name}[content]`);
  const executable = input.execute_filemode === undefined ? {} : { executable: input.execute_filemode };
  const last = input.last_commit_id ? { lastCommitId: input.last_commit_id } : {};
  switch (kind) {
    case 'create':
      return { action: kind, path, content: await decode(input.content ?? ''), ...executable };
    case 'update':
      if (input.content === undefined) throw badRequest(`${name}[content] is required for update action`);
      return { action: kind, path, content: await decode(input.content), ...executable, ...last };
    case 'move': {
      if (!input.previous_path) throw badRequest(`${name}[previous_path] is required for move action`);
      const content = input.content === undefined ? {} : { content: await decode(input.content) };
      return {
        action: kind,
        path,
        previousPath: withoutLeadingSlash(input.previous_path),
        ...content,
        ...executable,
        ...last,
      };
    }
    case 'delete':
      return { action: kind, path, ...last };
    case 'chmod':
      if (input.execute_filemode === undefined)
        throw badRequest(`${name}[execute_filemode] is required for chmod action`);
      return { action: kind, path, executable: input.execute_filemode, ...last };
  }
}
