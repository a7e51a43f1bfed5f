import { forget, THIS_PROCESS } from '../../core/forgetting.ts';
import type { Deps } from '../../deps.ts';
import { wakeRunners } from '../../pipelines/runners/pending-jobs.ts';

/**
 * Drops everything in memory that describes the data before a restore, so that nothing of the future is left. What the
 * process keeps, and what becomes of it:
 *
 * | What | How |
 * | --- | --- |
 * | rows, stable_rows, responses (`snapshot`, `cachedUntilWrite`, whole answers) | the version of the database moves |
 * | recent_values, application settings | `recent.invalidate`, `settings.refresh` |
 * | all caches in bytes (objects, trees, diffs, answers by object id, archives, reports, remote files, ...), also the expensive ones; git_failures | `THIS_PROCESS` |
 * | git_repositories with ref_lists, loose_refs, packed_refs, commit-graphs, git processes, open packs; reader threads | `pool.forget`, before the files change |
 * | git_latest_languages, git_latest_contributors | only say where to begin in a cache that is empty now |
 * | git_synced_folders | compared with the folder's identity |
 * | trace_secrets, trace_watchers, runner_contacts, runner_machines, unleash_keys, rate_windows of requests | registered with the database handle |
 * | rate_windows of actions, password_failures, reports of failed sign-ins | `clear` |
 * | download times, intents to retry, turns of jobs | dropped |
 * | runners that wait, `pendingJobsState` | woken, so that they ask again |
 * | prepared statements of SQLite | closed with the file, or kept: snapshots of another schema are refused |
 * | query_strings, ci_files, ci_expressions, ci_patterns, workflow_filters, push_patterns, branch_filters, licences, compile threads | depend on the text that is their key |
 * | signing_keys, git_reachability | live as long as one request, or one commit-graph |
 */
export async function forgetState(deps: Deps): Promise<void> {
  deps.recent.invalidate();
  forget(THIS_PROCESS);
  forget(deps.db);
  deps.limiter.clear();
  deps.passwords.clear();
  deps.downloads.discard();
  deps.intentRetries.discard();
  wakeRunners(deps);
  await deps.settings.refresh();
}
