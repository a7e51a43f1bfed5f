import type { AutoCancel, EnvironmentConfig, JobOptions, Need, When } from './pipeline-config.ts';
import type { Variable } from './variables/variable.ts';

/** A job that a pipeline is going to have: rules have been decided, references to variables resolved where the server resolves them. */
export interface JobSeed {
  name: string;
  kind: 'build' | 'bridge';
  stage: string;
  /** Place of its stage among those of the configuration, `.pre` being 0. */
  stageIndex: number;
  when: When;
  /** Seconds. */
  startIn: number | null;
  allowFailure: boolean;
  tags: string[];
  /** Null: it goes by its stage. Those that the pipeline does not have are left out. */
  needs: Need[] | null;
  /** Of the YAML: top level, workflow rule, job and job rule, in the order of their precedence; parallel ones too. */
  variables: Variable[];
  environment: EnvironmentConfig | null;
  resourceGroup: string | null;
  interruptible: boolean | null;
  coverage: string | null;
  options: JobOptions;
}

/** What a configuration comes to for one ref, event and caller. */
export interface PipelineSeed {
  /** `workflow:name`, expanded; null for none. */
  name: string | null;
  autoCancel: AutoCancel;
  /** All stages of the configuration. */
  stages: string[];
  jobs: JobSeed[];
}

/** Why a configuration gives no pipeline; the words are those of `errors`. */
export type NoPipeline = 'invalid' | 'filtered_by_workflow' | 'filtered_by_rules';

export interface EvaluatedPipeline {
  /** Null when there is none. */
  seed: PipelineSeed | null;
  reason: NoPipeline | null;
  errors: string[];
  warnings: string[];
}
