import type { Static } from 'typebox';
import type { CiJob } from '../../../db/tables/ci-jobs.table.ts';
import type { User } from '../../../db/tables/users.table.ts';
import type { Deps } from '../../../deps.ts';
import { userBasic } from '../../identity/index.ts';
import type { CommitStatus } from './commit-statuses.responses.ts';

/**
 * Renders an external status or a job of a commit.
 * @param webUrl URL of the project
 */
export const presentStatus = (deps: Deps, row: CiJob, author: User, webUrl: string): Static<typeof CommitStatus> => ({
  id: row.id,
  sha: row.sha,
  ref: row.ref,
  status: row.status,
  name: row.name,
  target_url: row.kind === 'build' ? `${webUrl}/-/jobs/${row.id}` : row.target_url,
  description: row.description,
  created_at: row.created_at,
  started_at: row.started_at,
  finished_at: row.finished_at,
  allow_failure: row.allow_failure === 1,
  coverage: row.coverage,
  pipeline_id: row.pipeline_id,
  author: userBasic(deps, author),
});
