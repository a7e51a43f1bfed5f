import type { UserCaller } from '../../access/caller.ts';
import {
  acceptMergeRequest,
  assigneesFor,
  createActingMergeRequest,
  createMergeRequest,
  tipOf,
  type UpdateMergeRequest,
  updateActingMergeRequest,
  withDraft,
} from '../../api/planning/index.ts';
import { ApiError, unauthorized } from '../../core/core.errors.ts';
import type { MergeRequest } from '../../db/tables/merge-requests.table.ts';
import type { Deps } from '../../deps.ts';
import { canMergeInto } from '../../repositories/repository.protections.ts';
import type { ProjectAccess } from '../project-access.ts';
import { findMetadata, type PushedMetadata } from './after-push.metadata.ts';
import { findTarget, type TargetScope } from './after-push.target.ts';
import { defaultText } from './default-text.ts';
import type { MergeRequestOptions } from './options.ts';
import type { PushedBranch } from './pushed.ts';

const MAX_BRANCHES = 10;

interface Work {
  deps: Deps;
  access: ProjectAccess & { caller: UserCaller };
  options: MergeRequestOptions;
  target: TargetScope;
  targetBranch: string | null;
  metadata: PushedMetadata;
}

/**
 * Creates or updates the merge requests of pushed branches as requested by the push options.
 * @param branches without the default branch
 * @returns warnings about options that could not be applied
 */
export async function applyMergeRequestOptions(
  deps: Deps,
  access: ProjectAccess & { caller: UserCaller },
  branches: readonly PushedBranch[],
  options: MergeRequestOptions,
): Promise<string[]> {
  const warnings = options.unknown.map((option) => `Unknown push option '${option.slice(0, 100)}'`);
  const target = await findTarget(deps, access, options.texts.target_project);
  if (typeof target === 'string') return [...warnings, target];
  const { full_path } = target.project;
  if (!target.permissions.can('read_merge_request')) {
    return [...warnings, `Merge requests are not enabled for project ${full_path}`];
  }
  if (branches.length > MAX_BRANCHES) {
    return [...warnings, `Too many branches pushed (${branches.length} were pushed, limit is ${MAX_BRANCHES})`];
  }
  const named = options.texts.target;
  if (named !== undefined && (await tipOf(deps, target.project, named)) === null) {
    return [...warnings, `Target branch ${full_path}:${named} does not exist`];
  }
  const metadata = await findMetadata(deps, target, options);
  warnings.push(...metadata.warnings);
  const targetBranch = named ?? (await deps.storages.open(placeOf(target)).refs.head());
  const work: Work = { deps, access, options, target, targetBranch, metadata };
  for (const branch of branches) {
    try {
      const row = await makeOrChange(work, branch);
      if (row === null) {
        warnings.push(
          `A merge_request.create push option is required to create a merge request for branch ${branch.name}`,
        );
      } else if (options.flags.auto_merge === true) {
        if (!(await canMergeInto(deps, target, row.project_id, row.target_branch))) throw unauthorized();
        await acceptMergeRequest(deps, target, row, { auto: true, sha: branch.head });
      }
    } catch (error) {
      warnings.push(reasonOf(deps, error));
    }
  }
  return warnings;
}

const placeOf = ({ project }: TargetScope) => ({ storage: project.repository_storage, diskPath: project.disk_path });

function reasonOf(deps: Deps, error: unknown): string {
  if (error instanceof ApiError && error.status < 500) {
    if (error.status === 401 || error.status === 403) return 'User access was denied';
    return error.status === 405 ? 'The merge request cannot be merged automatically' : error.message;
  }
  const { message, stack } = error instanceof Error ? error : { message: String(error), stack: undefined };
  deps.log.log('error', 'a push option failed', { error: message, stack });
  return 'An unknown error occurred';
}

/** @returns the merge request, or null if there is none and none was requested */
async function makeOrChange(work: Work, branch: PushedBranch): Promise<MergeRequest | null> {
  const open = await findOpen(work, branch);
  if (open !== undefined) return change(work, open);
  return work.options.flags.create === true ? create(work, branch) : null;
}

/**
 * The open merge request of the branch. If there are several, prefers the one with the requested target branch, then
 * the newest.
 */
async function findOpen({ deps, access, options, target }: Work, { name }: PushedBranch) {
  const rows = await deps.db
    .selectFrom('merge_requests')
    .selectAll()
    .where('project_id', '=', target.project.id)
    .where('source_project_id', '=', access.project.id)
    .where('source_branch', '=', name)
    .where('state', '=', 'opened')
    .orderBy('id', 'desc')
    .execute();
  return rows.find(({ target_branch }) => target_branch === options.texts.target) ?? rows[0];
}

const labelsAndMilestone = ({ add_labels, remove_labels, milestone_id }: PushedMetadata) => ({
  ...(add_labels === undefined ? {} : { add_labels }),
  ...(remove_labels === undefined ? {} : { remove_labels }),
  ...(milestone_id === undefined ? {} : { milestone_id }),
});

const flagsOf = ({ flags }: MergeRequestOptions) => ({
  ...(flags.squash === undefined ? {} : { squash: flags.squash }),
  ...(flags.remove_source_branch === undefined ? {} : { remove_source_branch: flags.remove_source_branch }),
});

const drafted = (title: string, draft: boolean | undefined): string =>
  draft === undefined ? title : withDraft(title, draft);

async function create(work: Work, branch: PushedBranch): Promise<MergeRequest> {
  const { deps, access, options, target, targetBranch, metadata } = work;
  if (targetBranch === null) throw new ApiError(400, `Project ${target.project.full_path} has no branch to merge into`);
  const ends = { source: access.project, target: target.project, targetBranch };
  const { texts, flags } = options;
  const text = await defaultText(deps, ends, branch);
  const people = new Set([access.caller.user.id, ...metadata.add]);
  for (const id of metadata.remove) people.delete(id);
  // Quick actions in commit messages are ignored: another user may have written them.
  const make = texts.description === undefined ? createMergeRequest : createActingMergeRequest;
  const { row } = await make(deps, access, {
    title: drafted(texts.title ?? text.title, flags.draft),
    description: texts.description ?? text.description,
    source_branch: branch.name,
    target_branch: targetBranch,
    target_project_id: target.project.id,
    assignee_ids: [...people],
    ...labelsAndMilestone(metadata),
    ...flagsOf(options),
  });
  return row;
}

async function change(work: Work, row: MergeRequest): Promise<MergeRequest> {
  const { deps, options, target, metadata } = work;
  const { texts, flags } = options;
  const title = drafted(texts.title ?? row.title, flags.draft);
  const input: UpdateMergeRequest = {
    ...(title === row.title ? {} : { title }),
    ...(texts.description === undefined ? {} : { description: texts.description }),
    ...(texts.target === undefined ? {} : { target_branch: texts.target }),
    ...labelsAndMilestone(metadata),
    ...flagsOf(options),
  };
  if (metadata.add.length > 0 || metadata.remove.length > 0) {
    const had = (await assigneesFor(deps.db, 'MergeRequest', [row.id])).get(row.id)!.map(({ id }) => id);
    input.assignee_ids = [...new Set([...had, ...metadata.add])].filter((id) => !metadata.remove.includes(id));
  }
  return Object.keys(input).length === 0 ? row : updateActingMergeRequest(deps, target, row, input);
}
