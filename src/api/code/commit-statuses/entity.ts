import { type Static, Type } from 'typebox';
import type { CommitStatus as CommitStatusRow } from '../../../db/tables/repositories.ts';
import type { User } from '../../../db/tables/users.ts';
import type { Deps } from '../../../deps.ts';
import { Instant, Nullable } from '../../../http/schema.ts';
import { UserBasic, userBasic } from '../../identity/index.ts';

/** What an outside system reports of a commit. */
export const CommitStatus = Type.Object({
  id: Type.Integer(),
  sha: Type.String(),
  ref: Type.String(),
  status: Type.String({ description: 'pending, running, success, failed, canceled or skipped.' }),
  name: Type.String(),
  target_url: Nullable(Type.String()),
  description: Nullable(Type.String()),
  created_at: Instant(),
  started_at: Nullable(Instant()),
  finished_at: Nullable(Instant()),
  allow_failure: Type.Boolean(),
  coverage: Nullable(Type.Number()),
  pipeline_id: Type.Integer(),
  author: UserBasic,
});

export const presentStatus = (deps: Deps, row: CommitStatusRow, author: User): Static<typeof CommitStatus> => ({
  id: row.id,
  sha: row.sha,
  ref: row.ref,
  status: row.status,
  name: row.name,
  target_url: row.target_url,
  description: row.description,
  created_at: row.created_at,
  started_at: row.started_at,
  finished_at: row.finished_at,
  allow_failure: row.allow_failure === 1,
  coverage: row.coverage,
  pipeline_id: row.pipeline_id,
  author: userBasic(deps, author),
});
