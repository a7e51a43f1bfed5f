import { GitError, type ObjectFormat } from '../common/index.ts';
import { contentBytes, type FileContent, sizeOf } from '../files/index.ts';
import {
  encodeCommit,
  type NewCommit,
  type NewIdentity,
  type NewObject,
  nameObject,
  ObjectWriter,
  objectFormatOf,
} from '../objects/index.ts';
import type { Repository } from '../repository/index.ts';
import { CommitError } from './commit-error.ts';
import { splitPath } from './path-rules.ts';
import { checkSubmoduleSettings, isSubmoduleSettingsPath } from './submodule-settings.ts';
import { type Leaf, TreeEditor } from './tree-editor.ts';

const MAX_SETTINGS_BYTES = 1024 * 1024;
/** Maximum number of objects of a small commit. */
const FEW_OBJECTS = 32;
const FEW_BYTES = 1024 * 1024;

/** `lastCommitId`: the last commit that changed the file, as known to the editor; checked if given. */
export type FileAction =
  | { action: 'create'; path: string; content: FileContent; executable?: boolean }
  | { action: 'update'; path: string; content: FileContent; executable?: boolean; lastCommitId?: string }
  | {
      action: 'move';
      path: string;
      previousPath: string;
      content?: FileContent;
      executable?: boolean;
      lastCommitId?: string;
    }
  | { action: 'delete'; path: string; lastCommitId?: string }
  | { action: 'chmod'; path: string; executable: boolean; lastCommitId?: string }
  /** Moves an existing submodule to another commit of its repository. The commit need not exist here. */
  | { action: 'submodule'; path: string; oid: string };

export interface CommitInput {
  /** Commit to which the actions are applied; null for an empty tree. */
  base: string | null;
  /** Default: `base`, if given. */
  parents?: readonly string[];
  actions: readonly FileAction[];
  author: NewIdentity;
  committer: NewIdentity;
  message: string;
  /** Returns the last commit that changed a path in `base`; called only for actions with `lastCommitId`. */
  lastCommitOf?: (path: string) => Promise<string | null>;
}

export interface WrittenCommit {
  oid: string;
  tree: string;
  /** Tree of `base`, or null: equal to `tree` if the actions change nothing. */
  baseTree: string | null;
  /** Distinct paths touched by the actions. */
  paths: string[];
}

/** A commit that is not written yet. */
export interface PreparedCommit extends WrittenCommit {
  /** Whether it has few, small objects, so that writing takes no longer than a few flushes. */
  isSmall: boolean;
  /**
   * Writes it with all its objects; durable when it fulfils.
   * @returns the ids that did not exist before
   * @throws the file system's error
   */
  store(): Promise<ReadonlySet<string>>;
}

/**
 * Applies actions in order to a commit's files and writes the new commit with all its objects, without moving a
 * reference. Durable when it fulfils.
 * @throws errors of `prepareCommit`, before anything is written; the file system's error
 */
export async function writeActions(repo: Repository, input: CommitInput): Promise<WrittenCommit> {
  const { store, isSmall: _isSmall, ...commit } = await prepareCommit(repo, input);
  await store();
  return commit;
}

/**
 * Applies actions in order to a commit's files and creates the new commit without writing it. Empty folders are
 * removed; symbolic links and submodules are entries and never followed. Specification: commits, create with actions;
 * files, create, update and delete.
 * @throws CommitError for an action that cannot be applied; GitError `not_found` for an unknown `base`, `invalid` for
 *   an identity that git refuses
 */
export async function prepareCommit(repo: Repository, input: CommitInput): Promise<PreparedCommit> {
  const base = input.base === null ? null : await repo.objects.commit(input.base);
  if (base === null && input.base !== null) throw new GitError('not_found', `no commit ${input.base}`);
  const format = await formatOf(repo, input.base);
  const editor = new TreeEditor(repo.objects, base?.tree ?? null);
  const paths = new Set<string>();
  for (const action of input.actions) {
    await checkUnchanged(action, input.lastCommitOf);
    await apply(editor, action);
    paths.add(action.path);
    if (action.action === 'move') paths.add(action.previousPath);
  }
  for (const path of paths) if (isSubmoduleSettingsPath(path)) await checkSettingsAt(repo, editor, path);
  const { tree, objects } = await editor.finish(format);
  const { author, committer, message } = input;
  const parents = input.parents ?? (input.base === null ? [] : [input.base]);
  await checkParents(repo, parents);
  const data = encodeCommit({ tree, parents, author, committer, message });
  const oid = await nameObject('commit', data, format);
  const all: NewObject[] = [...objects, { type: 'commit', data, oid }];
  const store = async () => {
    const fresh = await new ObjectWriter(repo.dir, format).store(all);
    repo.objects.remember(all);
    return new Set(fresh.has(oid) ? [oid] : []);
  };
  const bytes = all.reduce((sum, { data }) => sum + sizeOf(data), 0);
  const isSmall = all.length <= FEW_OBJECTS && bytes <= FEW_BYTES;
  return { oid, tree, baseTree: base?.tree ?? null, paths: [...paths], isSmall, store };
}

/**
 * Writes a commit without moving a reference. Durable when it fulfils.
 * @param objects new objects of its tree
 * @returns its id
 * @throws GitError `invalid` for an identity that git refuses or an invalid object id
 */
export async function writeCommit(
  repo: Repository,
  commit: NewCommit,
  objects: readonly NewObject[] = [],
): Promise<string> {
  const format = await formatOf(repo, commit.tree);
  await checkParents(repo, commit.parents);
  const data = encodeCommit(commit);
  return (await new ObjectWriter(repo.dir, format).write([...objects, { type: 'commit', data }])).at(-1)!;
}

/** @throws GitError `corrupt` if a parent is damaged on disk, `not_found` if it is not a commit */
async function checkParents(repo: Repository, commits: readonly string[]): Promise<void> {
  for (const oid of commits) {
    if ((await repo.objects.typeOnDisk(oid)) !== 'commit') throw new GitError('not_found', `no commit ${oid}`);
  }
}

async function formatOf(repo: Repository, oid: string | null): Promise<ObjectFormat> {
  if (oid === null) return await objectFormatOf(repo.dir);
  return oid.length === 64 ? 'sha256' : 'sha1';
}

async function checkUnchanged(action: FileAction, lastCommitOf: CommitInput['lastCommitOf']): Promise<void> {
  if (!('lastCommitId' in action) || action.lastCommitId === undefined || lastCommitOf === undefined) return;
  const path = action.action === 'move' ? action.previousPath : action.path;
  const last = await lastCommitOf(path);
  if (last !== null && last !== action.lastCommitId) throw new CommitError('file_changed', path);
}

/** Validates the final content of a path, whichever action wrote it. */
async function checkSettingsAt(repo: Repository, editor: TreeEditor, path: string): Promise<void> {
  const leaf = await editor.find(path.split('/'));
  if (leaf === null || leaf === 'folder') return;
  if (!leaf.mode.startsWith('100')) throw new CommitError('submodule_invalid', path);
  const content = leaf.data ?? (await repo.objects.read(leaf.oid!, MAX_SETTINGS_BYTES))?.data;
  if (!content || sizeOf(content) > MAX_SETTINGS_BYTES) throw new CommitError('submodule_invalid', path);
  await checkSubmoduleSettings(path, await contentBytes(content));
}

async function apply(editor: TreeEditor, action: FileAction): Promise<void> {
  const parts = splitPath(action.path);
  if (action.action === 'create') {
    await refuseTaken(editor, parts);
    await editor.put(parts, file(action.content, action.executable ?? false));
  } else if (action.action === 'move') {
    await move(editor, action, parts);
  } else if (action.action === 'delete') {
    await existing(editor, parts);
    await editor.remove(parts);
  } else if (action.action === 'submodule') {
    await moveSubmodule(editor, action, parts);
  } else {
    const old = await existing(editor, parts);
    const requestedMode = action.executable === undefined ? old.mode : modeOf(action.executable);
    if (action.action === 'update') {
      if (old.mode === '160000') throw new CommitError('file_missing', action.path);
      const mode = old.mode === '120000' ? old.mode : requestedMode;
      await editor.put(parts, { kind: 'leaf', mode, oid: null, data: action.content });
    } else {
      if (!old.mode.startsWith('100')) throw new CommitError('file_missing', action.path);
      await editor.put(parts, { ...old, mode: requestedMode });
    }
  }
}

async function moveSubmodule(
  editor: TreeEditor,
  { path, oid }: Extract<FileAction, { action: 'submodule' }>,
  parts: readonly string[],
): Promise<void> {
  const old = await editor.find(parts);
  if (old === null || old === 'folder' || old.mode !== '160000') throw new CommitError('submodule_missing', path);
  if (old.oid === oid) throw new CommitError('submodule_unchanged', path);
  // An id in the other object format would create an unreadable tree.
  if (old.oid?.length !== oid.length) throw new CommitError('submodule_format', path);
  await editor.put(parts, { ...old, oid });
}

async function move(
  editor: TreeEditor,
  action: Extract<FileAction, { action: 'move' }>,
  parts: readonly string[],
): Promise<void> {
  const from = splitPath(action.previousPath);
  const old = await existing(editor, from);
  if (old.mode === '160000' && action.content !== undefined) throw new CommitError('file_missing', action.previousPath);
  if (action.path !== action.previousPath) await refuseTaken(editor, parts);
  await editor.remove(from);
  const mode = action.executable !== undefined && old.mode.startsWith('100') ? modeOf(action.executable) : old.mode;
  const content = action.content === undefined ? {} : { oid: null, data: action.content };
  await editor.put(parts, { ...old, mode, ...content });
}

function file(data: FileContent, executable: boolean): Leaf {
  return { kind: 'leaf', mode: modeOf(executable), oid: null, data };
}

function modeOf(executable: boolean): string {
  return executable ? '100755' : '100644';
}

async function existing(editor: TreeEditor, parts: readonly string[]): Promise<Leaf> {
  const entry = await editor.find(parts);
  if (entry === null || entry === 'folder') throw new CommitError('file_missing', parts.join('/'));
  return entry;
}

async function refuseTaken(editor: TreeEditor, parts: readonly string[]): Promise<void> {
  const entry = await editor.find(parts);
  if (entry === 'folder') throw new CommitError('directory_exists', parts.join('/'));
  if (entry !== null) throw new CommitError('file_exists', parts.join('/'));
}
