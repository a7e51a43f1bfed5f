import { RE2JS, RE2JSException } from 're2js';
import { timestamp } from '../../../../core/clock.ts';
import type { Deps } from '../../../../deps.ts';
import { changesLockedPaths, lacksCommits, needsRebase } from './git-checks.ts';
import { isActive } from './head-pipelines.ts';
import type { MergeFacts } from './mergeability.facts.ts';
import type { DetailedMergeStatus } from './mergeability.statuses.ts';

type Verdict = boolean | Promise<boolean>;

interface Check {
  name: DetailedMergeStatus;
  fails(deps: Deps, facts: MergeFacts): Verdict;
  /**
   * Whether the check uses git or its stored result: not possible in a transaction, and the merge itself repeats it.
   */
  git?: true;
}

/** Checks of a merge, in the order in which failures are reported. */
const CHECKS: readonly Check[] = [
  { name: 'requested_changes', fails: (_, { requestedChanges }) => requestedChanges },
  { name: 'approvals_syncing', fails: (_, { mergeRequest }) => mergeRequest.approvals_syncing === 1 },
  { name: 'not_approved', fails: (_, facts) => facts.approvalsLeft > 0 },
  { name: 'status_checks_must_pass', fails: (_, { statusChecksLeft }) => statusChecksLeft },
  { name: 'not_open', fails: (_, { mergeRequest }) => mergeRequest.state !== 'opened' },
  { name: 'merge_time', fails: ({ clock }, { mergeRequest }) => (mergeRequest.merge_after ?? '') > timestamp(clock) },
  { name: 'draft_status', fails: (_, { mergeRequest }) => mergeRequest.draft === 1 },
  { name: 'commits_status', fails: lacksCommits, git: true },
  { name: 'discussions_not_resolved', fails: (_, { unresolvedDiscussions }) => unresolvedDiscussions },
  { name: 'title_regex', fails: (_, facts) => !titleFits(facts) },
  { name: 'locked_lfs_files', fails: changesLockedPaths, git: true },
  { name: 'conflict', fails: (_, { mergeRequest }) => mergeRequest.merge_status !== 'can_be_merged', git: true },
  { name: 'need_rebase', fails: needsRebase, git: true },
  { name: 'ci_still_running', fails: (_, facts) => pipelineMissing(facts) && isRunning(facts) },
  { name: 'ci_must_pass', fails: (_, facts) => pipelineMissing(facts) },
];

/**
 * The first failed check of a merge; null if all pass.
 * @param options `git`: whether to run git checks as well; not allowed within a transaction
 */
export async function firstFailure(
  deps: Deps,
  facts: MergeFacts,
  options: { git: boolean },
): Promise<DetailedMergeStatus | null> {
  for (const { name, fails, git } of CHECKS) {
    if (git && !options.git) continue;
    if (await fails(deps, facts)) return name;
  }
  return null;
}

/** Whether the title matches the required pattern; an invalid pattern never matches. */
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

/** Whether the project requires a successful pipeline and there is none. */
function pipelineMissing({ settings, pipeline }: MergeFacts): boolean {
  if (!settings.only_allow_merge_if_pipeline_succeeds || pipeline?.status === 'success') return false;
  return pipeline?.status !== 'skipped' || !settings.allow_merge_on_skipped_pipeline;
}

const isRunning = ({ pipeline }: MergeFacts): boolean => pipeline !== undefined && isActive(pipeline);
