import type { PipelineSource } from '../../ci/pipeline-sources.ts';
import type { Pipeline } from '../../db/tables/pipelines.table.ts';
import type { MergeRequestFacts, PipelineFacts } from '../variables/pipeline-variables.facts.ts';
import type { ConfigContent } from './config-content.ts';
import type { PipelineVariableInput } from './pipeline-creation.save.ts';

export interface PipelineRequest {
  projectId: number;
  source: PipelineSource;
  /** User in whose name it runs, with their current rights. */
  userId: number;
  /** Short or full name of a branch or tag; for a merge request the ref that its pipeline runs on. */
  ref: string;
  /** The commit, if it is not the head of the ref. */
  sha?: string;
  /** Previous target of the ref before a push. */
  beforeSha?: string | null;
  variables?: readonly PipelineVariableInput[];
  /** JSON values by name. */
  inputs?: Readonly<Record<string, unknown>>;
  /** Whether a push option skips the jobs. */
  skip?: boolean;
  mergeRequest?: MergeRequestFacts;
  schedule?: { id: number; description: string };
  triggerId?: number;
  upstream?: Upstream;
  /** Configuration of a child pipeline, instead of the project's. */
  config?: ConfigContent;
  /** Ref and commit of a child pipeline: the same as its parent's. */
  target?: PipelineTarget;
  /** Idempotency key: a second request with the same key returns the first one's pipeline. */
  origin?: string;
}

/** Ref and commit that a pipeline runs on. */
export type PipelineTarget = Pick<PipelineFacts, 'refType' | 'ref' | 'sha' | 'refProtected'>;

/** The bridge that starts a pipeline. */
export interface Upstream {
  jobId: number;
  pipelineId: number;
  projectId: number;
  /** Whether it starts a child pipeline: of the same project, with its own configuration. */
  child: boolean;
}

/**
 * A pipeline, or the reasons why there is none. For an invalid configuration both: a failed pipeline with the errors.
 * `filtered`: no error, but rules exclude all jobs.
 */
export interface Creation {
  pipeline: Pipeline | null;
  texts: readonly string[];
  filtered: boolean;
}
