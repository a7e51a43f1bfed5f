import { RE2JS, RE2JSException } from 're2js';
import { timestamp } from '../../core/clock.ts';
import type { Deps } from '../../deps.ts';
import type { MergeFacts } from './facts.ts';
import { changesLockedPaths, lacksCommits, needsRebase } from './git-checks.ts';
import { isActive } from './head-pipelines.ts';
import type { DetailedMergeStatus } from './statuses.ts';

type Check = (deps: Deps, facts: MergeFacts) => DetailedMergeStatus | null | Promise<DetailedMergeStatus | null>;

const failing = (name: DetailedMergeStatus, fails: (deps: Deps, facts: MergeFacts) => boolean): Check => {
  return (deps, facts) => (fails(deps, facts) ? name : null);
};
const failingInGit = (
  name: DetailedMergeStatus,
  fails: (deps: Deps, facts: MergeFacts) => Promise<boolean>,
): Check & { git: true } =>
  Object.assign(async (deps: Deps, facts: MergeFacts) => ((await fails(deps, facts)) ? name : null), {
    git: true as const,
  });

/** What stands in the way of a merge, in the order in which it is told. */
const CHECKS: readonly (Check & { git?: true })[] = [
  failing('requested_changes', (_, { requestedChanges }) => requestedChanges),
  failing('approvals_syncing', (_, { mergeRequest }) => mergeRequest.approvals_syncing === 1),
  failing('not_open', (_, { mergeRequest }) => mergeRequest.state !== 'opened'),
  failing('merge_time', ({ clock }, { mergeRequest }) => (mergeRequest.merge_after ?? '') > timestamp(clock)),
  failing('draft_status', (_, { mergeRequest }) => mergeRequest.draft === 1),
  failingInGit('commits_status', lacksCommits),
  failing('discussions_not_resolved', (_, { unresolvedDiscussions }) => unresolvedDiscussions),
  failing('title_regex', (_, facts) => !titleFits(facts)),
  failingInGit('locked_lfs_files', changesLockedPaths),
  failing('conflict', (_, { mergeRequest }) => mergeRequest.merge_status !== 'can_be_merged'),
  failingInGit('need_rebase', needsRebase),
  (_, facts) => pipelineStands(facts),
];

/**
 * The first thing that stands in the way of a merge; null when nothing does.
 * @param options `git`: whether git is asked too, which nobody may do within a transaction
 */
export async function firstFailure(
  deps: Deps,
  facts: MergeFacts,
  options: { git: boolean },
): Promise<DetailedMergeStatus | null> {
  for (const check of CHECKS) {
    if (check.git && !options.git) continue;
    const failed = await check(deps, facts);
    if (failed !== null) return failed;
  }
  return null;
}

/** A pattern that cannot be read lets nothing pass, as long as it is set. */
function titleFits({ mergeRequest, settings }: MergeFacts): boolean {
  const pattern = settings.merge_request_title_regex;
  if (!pattern) return true;
  try {
    return RE2JS.compile(pattern).matcher(mergeRequest.title).find();
  } catch (error) {
    if (error instanceof RE2JSException) return false;
    throw error;
  }
}

/** Pipelines count where the project says that they must succeed. */
function pipelineStands({ settings, pipeline }: MergeFacts): 'ci_still_running' | 'ci_must_pass' | null {
  if (!settings.only_allow_merge_if_pipeline_succeeds || pipeline?.status === 'success') return null;
  if (pipeline?.status === 'skipped' && settings.allow_merge_on_skipped_pipeline) return null;
  return pipeline !== undefined && isActive(pipeline) ? 'ci_still_running' : 'ci_must_pass';
}
