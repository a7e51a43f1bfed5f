import { Type } from 'typebox';
import { PIPELINE_SOURCES } from '../../../ci/pipeline-sources.ts';
import { STATES } from '../../../ci/states.ts';
import { Enum, Instant, Nullable } from '../../../http/http.schema.ts';
import { UserBasic } from '../../identity/index.ts';

const basic = {
  id: Type.Integer(),
  iid: Type.Integer(),
  project_id: Type.Integer(),
  sha: Type.String(),
  ref: Type.String(),
  status: Enum(STATES),
  source: Enum(PIPELINE_SOURCES),
  created_at: Instant(),
  updated_at: Instant(),
  web_url: Type.String(),
};

/** A pipeline nested in other objects. */
export const PipelineBasic = Type.Object(basic);

/** A pipeline in a list. */
export const PipelineListEntry = Type.Object({ ...basic, name: Nullable(Type.String()) });

/** Presentation of the status of a pipeline. */
export const DetailedStatus = Type.Object({
  icon: Type.String(),
  text: Type.String(),
  label: Type.String(),
  group: Type.String(),
  tooltip: Type.String(),
  has_details: Type.Boolean(),
  details_path: Type.String(),
  illustration: Type.Null(),
  favicon: Type.String(),
});

/** A pipeline with all details. */
export const Pipeline = Type.Object({
  ...basic,
  before_sha: Nullable(Type.String()),
  tag: Type.Boolean({ description: 'Whether the pipeline runs for a tag.' }),
  yaml_errors: Nullable(Type.String()),
  user: Nullable(UserBasic),
  started_at: Nullable(Instant()),
  finished_at: Nullable(Instant()),
  committed_at: Nullable(Instant({ description: 'Always null.' })),
  duration: Nullable(Type.Integer({ description: 'Total run time of the jobs in seconds.', examples: [42] })),
  queued_duration: Nullable(Type.Integer({ description: 'Seconds until the first job started.', examples: [3] })),
  coverage: Nullable(Type.String({ description: 'Average coverage of the jobs, in percent.', examples: ['87.50'] })),
  detailed_status: DetailedStatus,
  name: Nullable(Type.String({ description: 'Name from `workflow:name`.', examples: ['Release'] })),
  archived: Type.Boolean({ description: 'Always false: pipelines are never archived.' }),
});
