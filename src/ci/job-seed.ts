import type { AutoCancel, EnvironmentConfig, JobOptions, Need, When } from './pipeline-config.ts';
import type { Variable } from './variables/variable.ts';

/** A job to be created: rules are evaluated, and variables expanded as far as the server does. */
export interface JobSeed {
  name: string;
  kind: 'build' | 'bridge';
  stage: string;
  /** Index of its stage in the configuration, 0 for `.pre`. */
  stageIndex: number;
  when: When;
  /** Seconds. */
  startIn: number | null;
  allowFailure: boolean;
  tags: string[];
  /** Null if the job waits for its stage. Without optional needs that the pipeline does not contain. */
  needs: Need[] | null;
  /** YAML variables: top level, workflow rule, job, job rule and parallel ones, in the order of precedence. */
  variables: Variable[];
  environment: EnvironmentConfig | null;
  resourceGroup: string | null;
  interruptible: boolean | null;
  coverage: string | null;
  options: JobOptions;
}

/** A pipeline to be created for a ref, event and caller. */
export interface PipelineSeed {
  /** `workflow:name`, expanded; null for none. */
  name: string | null;
  autoCancel: AutoCancel;
  /** All stages of the configuration. */
  stages: string[];
  jobs: JobSeed[];
}

/** Why a configuration creates no pipeline; the texts are in `errors`. */
export type NoPipeline = 'invalid' | 'filtered_by_workflow' | 'filtered_by_rules';

export interface EvaluatedPipeline {
  /** Null if there is no pipeline. */
  seed: PipelineSeed | null;
  reason: NoPipeline | null;
  errors: string[];
  warnings: string[];
}
