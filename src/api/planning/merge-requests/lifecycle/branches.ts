import { conflict, invalidModel, refused } from '../../../../core/core.errors.ts';
import type { Db } from '../../../../db/db.schema.ts';
import type { MergeRequest } from '../../../../db/tables/merge-requests.table.ts';
import type { Project } from '../../../../db/tables/projects.table.ts';
import type { Deps } from '../../../../deps.ts';
import { repositoryOf } from '../../../../repositories/change-refs.ts';

/** Source and target of a merge request. */
export interface MergeRequestBranches {
  source: Project;
  target: Project;
  source_branch: string;
  target_branch: string;
}

/** Commit id of a branch of a project; null if the branch does not exist. */
export const tipOf = (deps: Deps, project: Project, branch: string): Promise<string | null> =>
  repositoryOf(deps, project).refs.resolve(`refs/heads/${branch}`);

const rootOf = ({ id, fork_root_id }: Project): number => fork_root_id ?? id;

/** Whether two projects are the same or in one fork network. */
export const areRelated = (one: Project, other: Project): boolean => rootOf(one) === rootOf(other);

/**
 * Checks that a merge request between source and target is possible.
 * @throws ApiError 422 if both branches are the same, or if the projects are not in one fork network
 */
export function checkBranches({ source, target, source_branch, target_branch }: MergeRequestBranches): void {
  if (source.id === target.id && source_branch === target_branch) {
    throw refused("You can't use same project/branch for source and target", 422);
  }
  if (!areRelated(source, target)) throw refused('Source project is not a fork of the target project', 422);
}

/**
 * The head commit of the source branch.
 * @throws ApiError 400 if one of the branches does not exist
 */
export async function headOf(
  deps: Deps,
  { source, target, source_branch, target_branch }: MergeRequestBranches,
): Promise<string> {
  const head = await tipOf(deps, source, source_branch);
  const start = await tipOf(deps, target, target_branch);
  if (head !== null && start !== null) return head;
  throw invalidModel({
    ...(head === null ? { source_branch: ['does not exist'] } : {}),
    ...(start === null ? { target_branch: ['does not exist'] } : {}),
  });
}

/** Refusal of a second open merge request between the same two branches. */
export const alreadyOpen = (iid: number) =>
  conflict(`Another open merge request already exists for this source branch: !${iid}`);

type Between = Pick<MergeRequest, 'project_id' | 'source_project_id' | 'source_branch' | 'target_branch'>;

/** Finds another open merge request between the same two branches. */
export async function findDuplicate(db: Db, ends: Between, exceptId = 0): Promise<{ iid: number } | undefined> {
  if (ends.source_project_id === null) return undefined;
  return db
    .selectFrom('merge_requests')
    .select('iid')
    .where('project_id', '=', ends.project_id)
    .where('source_project_id', '=', ends.source_project_id)
    .where('source_branch', '=', ends.source_branch)
    .where('target_branch', '=', ends.target_branch)
    .where((eb) => eb.or([eb('state', '=', 'opened'), eb('state', '=', 'locked')]))
    .where('id', '!=', exceptId)
    .executeTakeFirst();
}

/** @throws ApiError 409 if another one is open between the same two branches */
export async function refuseDuplicate(db: Db, ends: Between, exceptId = 0): Promise<void> {
  const other = await findDuplicate(db, ends, exceptId);
  if (other !== undefined) throw alreadyOpen(other.iid);
}
