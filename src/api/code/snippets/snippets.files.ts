import type { Static } from 'typebox';
import { ApiError, invalidParameter, refused } from '../../../core/core.errors.ts';
import { CommitError, type FileAction, splitPath } from '../../../git/commits/index.ts';
import type { FileContent } from '../../../git/files/index.ts';
import { decodeContent, type SentContent } from '../commits/commits.content.ts';
import type { CreateSnippetInput, UpdateSnippetInput } from './snippets.inputs.ts';

type CreateInput = Static<typeof CreateSnippetInput>;
type UpdateInput = Static<typeof UpdateSnippetInput>;
type UpdateFile = NonNullable<UpdateInput['files']>[number];

/** Default file name. */
const NAMELESS = 'snippetfile1.txt';

/** Computes the file actions from the present files. */
export type FileChanges = (present: readonly string[]) => FileAction[];

function checkPath(path: string, name: string): void {
  try {
    splitPath(path);
  } catch (error) {
    if (error instanceof CommitError) throw invalidParameter(`${name} should be a valid file path`);
    throw error;
  }
}

const inUnits = (bytes: number): string => {
  const [unit, size] = bytes >= 1024 ** 2 ? ['MiB', 1024 ** 2] : ['KiB', 1024];
  return `${Number((bytes / size).toPrecision(3))} ${unit}`;
};

/** @throws ApiError 400 for content of more than `maxBytes` */
async function contentOf(content: SentContent, maxBytes: number): Promise<FileContent> {
  const size = typeof content === 'string' ? Buffer.byteLength(content) : content.size;
  if (size > maxBytes) {
    throw refused(`Content is too long (${inUnits(size)}). The maximum size is ${inUnits(maxBytes)}.`);
  }
  return decodeContent(content, 'text', 'content');
}

/**
 * Returns the files of a new snippet.
 * @param maxBytes maximum size of a file
 * @throws ApiError 400
 */
export async function filesToCreate(input: CreateInput, maxBytes: number): Promise<FileAction[]> {
  if (input.content !== undefined && input.file_name === undefined) throw invalidParameter('file_name is missing');
  const files =
    input.content === undefined
      ? input.files!
      : [{ file_path: input.file_name!.trim() === '' ? NAMELESS : input.file_name!, content: input.content }];
  const single = input.content !== undefined;
  for (const [index, { file_path }] of files.entries()) {
    checkPath(file_path, single ? 'file_name' : `files[${index}][file_path]`);
  }
  const actions: FileAction[] = [];
  for (const { file_path, content } of files) {
    actions.push({ action: 'create', path: file_path, content: await contentOf(content, maxBytes) });
  }
  return actions;
}

/**
 * Returns the file changes of an update; null if it changes no files.
 * @param maxBytes maximum size of a file
 * @throws ApiError 400, 422 for incomplete actions
 */
export async function filesToUpdate(input: UpdateInput, maxBytes: number): Promise<FileChanges | null> {
  if (input.files !== undefined && input.files.length > 0) {
    const actions = await Promise.all(input.files.map((file, index) => readAction(file, `files[${index}]`, maxBytes)));
    return () => actions;
  }
  if (input.content === undefined && input.file_name === undefined) return null;
  const name = input.file_name?.trim() ? input.file_name : undefined;
  if (name !== undefined) checkPath(name, 'file_name');
  const content = input.content === undefined ? undefined : await contentOf(input.content, maxBytes);
  return (present) => changeOnly(present, name, content);
}

function changeOnly(
  present: readonly string[],
  name: string | undefined,
  content: FileContent | undefined,
): FileAction[] {
  const [only] = present;
  if (only === undefined || present.length > 1) {
    throw refused('To update Snippets with multiple files, you must use the `files` parameter');
  }
  if (name !== undefined && name !== only) {
    return [{ action: 'move', path: name, previousPath: only, ...(content === undefined ? {} : { content }) }];
  }
  return content === undefined ? [] : [{ action: 'update', path: only, content }];
}

const invalid = () => new ApiError(422, 'Snippet actions have invalid data');

async function readAction(file: UpdateFile, name: string, maxBytes: number): Promise<FileAction> {
  const path = file.file_path ?? '';
  const previousPath = file.previous_path ?? '';
  if (path !== '') checkPath(path, `${name}[file_path]`);
  if (previousPath !== '') checkPath(previousPath, `${name}[previous_path]`);
  if (path === '') throw invalid();
  const blank = file.content === undefined || (typeof file.content === 'string' && file.content.trim() === '');
  const content = blank ? undefined : await contentOf(file.content!, maxBytes);
  switch (file.action) {
    case 'create':
      if (content === undefined) throw invalid();
      return { action: 'create', path, content };
    case 'update':
      if (content === undefined || (previousPath !== '' && previousPath !== path)) throw invalid();
      return { action: 'update', path, content };
    case 'move':
      if (previousPath === '' || previousPath === path) throw invalid();
      return { action: 'move', path, previousPath, ...(content === undefined ? {} : { content }) };
    case 'delete':
      return { action: 'delete', path };
  }
}
