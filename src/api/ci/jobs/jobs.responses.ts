import { Type } from 'typebox';
import { FAILURE_REASONS } from '../../../ci/failure-reasons.ts';
import { STATES } from '../../../ci/states.ts';
import { Enum, Instant, Nullable } from '../../../http/http.schema.ts';
import { Commit, PipelineBasic } from '../../code/index.ts';
import { UserProfile } from '../../identity/index.ts';
import { Runner, RunnerManager } from '../runners/runners.responses.ts';

const common = {
  id: Type.Integer(),
  status: Enum(STATES),
  stage: Type.String(),
  name: Type.String({ description: 'Name of the job in the configuration.', examples: ['test'] }),
  ref: Type.String({ description: 'Branch or tag, or the ref of a merge request.' }),
  tag: Type.Boolean({ description: 'Whether the job runs for a tag.' }),
  coverage: Nullable(Type.Number()),
  allow_failure: Type.Boolean(),
  created_at: Instant(),
  started_at: Nullable(Instant()),
  finished_at: Nullable(Instant()),
  erased_at: Nullable(Instant()),
  duration: Nullable(Type.Number({ description: 'Seconds that the job ran, or has run so far.', examples: [42.5] })),
  queued_duration: Nullable(
    Type.Number({ description: 'Seconds that the job waited for a runner.', examples: [1.25] }),
  ),
  user: Nullable(UserProfile),
  commit: Nullable(Commit),
  pipeline: PipelineBasic,
  failure_reason: Nullable(
    Enum(FAILURE_REASONS, {
      description: 'Reason for the failure; null for jobs that did not fail.',
      examples: ['script_failure'],
    }),
  ),
  web_url: Type.String(),
  project: Type.Object({ ci_job_token_scope_enabled: Type.Boolean() }),
  archived: Type.Boolean({ description: 'Always false: jobs are never archived.' }),
};

export const JobArtifact = Type.Object({
  file_type: Type.String(),
  size: Type.Integer({ description: 'Bytes.' }),
  filename: Type.String(),
  file_format: Nullable(Enum(['raw', 'zip', 'gzip'])),
});

/** A job that runs on a runner. */
export const Job = Type.Object({
  ...common,
  download_url: Type.Null({ description: 'Always null.' }),
  artifacts_file: Type.Optional(
    Type.Object(
      { filename: Type.String(), size: Type.Integer({ description: 'Bytes.' }) },
      { description: 'The artifacts archive; only for jobs that have one.' },
    ),
  ),
  artifacts: Type.Array(JobArtifact),
  runner: Nullable(Runner),
  runner_manager: Nullable(RunnerManager),
  artifacts_expire_at: Nullable(Instant()),
  tag_list: Type.Array(Type.String()),
});

/** A job that triggers another pipeline. */
export const Bridge = Type.Object({
  ...common,
  downstream_pipeline: Nullable(PipelineBasic),
});
