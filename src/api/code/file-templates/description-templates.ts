import type { Project } from '../../../db/tables/projects.table.ts';
import type { Deps } from '../../../deps.ts';
import { TextDecoding } from '../../../git/common/index.ts';
import type { TreeEntry } from '../../../git/objects/index.ts';
import type { Repository } from '../../../git/repository/index.ts';
import { entryAt } from '../../../git/trees/index.ts';
import { repositoryOf } from '../../../repositories/change-refs.ts';

/** Folders of the texts that issues and merge requests begin with. */
export const DESCRIPTION_FOLDERS = {
  issues: '.gitlab/issue_templates',
  merge_requests: '.gitlab/merge_request_templates',
} as const;

/** What a text of a project is for. */
export type DescriptionKind = keyof typeof DESCRIPTION_FOLDERS;

const ENDING = '.md';
/** Maximum size of a text. */
const MAX_BYTES = 1024 * 1024;
/** Maximum number of texts of a kind. */
const MAX_FILES = 1_000;

async function filesOf(repo: Repository, kind: DescriptionKind): Promise<TreeEntry[]> {
  const branch = await repo.refs.head();
  const commit = branch === null ? null : await repo.refs.resolve(`refs/heads/${branch}`);
  const folder = commit === null ? null : await entryAt(repo, commit, DESCRIPTION_FOLDERS[kind]);
  const entries = folder?.type === 'tree' ? await repo.objects.tree(folder.oid) : null;
  return (entries ?? [])
    .filter(({ name, mode }) => mode.startsWith('100') && name.endsWith(ENDING) && name.length > ENDING.length)
    .slice(0, MAX_FILES);
}

/** Names of the texts of a project on its default branch, without their endings. */
export const descriptionKeys = async (deps: Deps, project: Project, kind: DescriptionKind): Promise<string[]> =>
  (await filesOf(repositoryOf(deps, project), kind)).map(({ name }) => name.slice(0, -ENDING.length));

/** A text of a project; undefined if there is none of that name, or it is too large. */
export async function descriptionText(
  deps: Deps,
  project: Project,
  kind: DescriptionKind,
  key: string,
): Promise<string | undefined> {
  const repo = repositoryOf(deps, project);
  const file = (await filesOf(repo, kind)).find(({ name }) => name === key + ENDING);
  const read = file && (await repo.objects.read(file.oid, MAX_BYTES));
  return read?.data ? new TextDecoding().text(read.data) : undefined;
}
