import { Type } from 'typebox';
import { STATES } from '../../../ci/states.ts';
import { Enum, Instant, Nullable } from '../../../http/http.schema.ts';
import { UserBasic } from '../../identity/index.ts';

/** An external status of a commit, or a job that runs for it. */
export const CommitStatus = Type.Object({
  id: Type.Integer(),
  sha: Type.String(),
  ref: Type.String(),
  status: Enum(STATES),
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
