import { hash } from 'node:crypto';
import { notFound } from '../../core/errors.ts';
import type { Project } from '../../db/tables/projects.ts';
import type { Deps } from '../../deps.ts';
import type { Ref } from '../../git/refs.ts';
import type { Repository } from '../../git/repository.ts';
import { Serialized } from '../../http/send.ts';
import { type Actor, loadProtections, type Protection } from '../../repositories/protections.ts';
import { projectUrl } from '../commits/entity.ts';
import { type BranchRow, describeBranches, HEADS, presentBranches } from './entity.ts';
import type { BranchJson } from './schema.ts';

/** The default branch with its commit; null while it does not exist. */
export async function defaultBranchOf(repo: Repository): Promise<{ name: string; oid: string } | null> {
  const name = await repo.refs.head();
  const oid = name === null ? null : await repo.refs.resolve(HEADS + name);
  return name === null || oid === null ? null : { name, oid };
}

/** One branch as the actor sees it. @throws ApiError 404 when its commit is missing from a damaged repository */
export async function viewBranch(
  deps: Deps,
  project: Project,
  actor: Actor,
  repo: Repository,
  ref: Ref,
): Promise<BranchJson> {
  const rows = await describeBranches(deps, [ref], await loadProtections(deps, project.id), actor);
  const [branch] = await presentBranches(repo, rows, await defaultBranchOf(repo), projectUrl(deps, project));
  if (branch === undefined) throw notFound('Branch');
  return branch;
}

/**
 * A page of branches, serialised. It is kept under all that goes into it (the commits by id, the rights by value), so
 * that a page which nothing has changed costs no presentation.
 */
export async function serializeBranches(
  deps: Deps,
  project: Project,
  actor: Actor,
  repo: Repository,
  refs: readonly Ref[],
): Promise<Serialized> {
  const protections = await loadProtections(deps, project.id);
  const rows = await describeBranches(deps, refs, protections, actor);
  const defaultBranch = await defaultBranchOf(repo);
  const webUrl = projectUrl(deps, project);
  const key = pageKey(repo, rows, protections, defaultBranch, webUrl);
  const kept = deps.answers.peek(key);
  if (kept !== undefined) return kept.json;
  const branches = await presentBranches(repo, rows, defaultBranch, webUrl);
  // What a damaged repository could not show may be there again after its repair.
  return branches.length === rows.length ? deps.answers.keep(key, branches).json : Serialized.of(branches);
}

const digests = new WeakMap<readonly Protection[], string>();

/** Names the content of the protections. */
function digestOf(protections: readonly Protection[]): string {
  let digest = digests.get(protections);
  if (digest === undefined) {
    digest = hash('sha256', JSON.stringify(protections), 'base64');
    digests.set(protections, digest);
  }
  return digest;
}

function pageKey(
  repo: Repository,
  rows: readonly BranchRow[],
  protections: readonly Protection[],
  defaultBranch: { name: string; oid: string } | null,
  webUrl: string,
): string {
  let text = `${repo.id}\n${webUrl}\n${defaultBranch?.oid}\n${defaultBranch?.name}\n${digestOf(protections)}`;
  for (const { ref, canPush } of rows) text += `\n${canPush ? '+' : '-'}${ref.oid}${ref.name}`;
  return `branches:${hash('sha256', text, 'base64')}`;
}
