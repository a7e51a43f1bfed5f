import type { Include, LoadRequest } from './config/loaded.ts';
import type { EvaluatedPipeline } from './job-seed.ts';
import type { PipelineConfig } from './pipeline-config.ts';
import type { Variable } from './variables/variable.ts';

/** A variable that is kept with the instance, a group or the project. */
export interface StoredVariable extends Variable {
  /** Environments that it is for: `*`, a pattern or a name. */
  environmentScope: string;
}

/** For what a pipeline is made. */
export interface PipelineContext {
  /** Why: `push`, `merge_request_event`, ... */
  source: string;
  /** Short name of the branch or tag; of a merge request its source branch. */
  ref: string;
  refType: 'branch' | 'tag' | 'merge_request';
  /** Full path, for `only: [branches@group/project]`. */
  projectPath: string;
  /** Predefined variables that are known before the pipeline is. */
  predefined: readonly Variable[];
  /** Those of lower precedence first: instance, groups from the root down, project. Only those that the ref may have. */
  stored: readonly StoredVariable[];
  /** Other jobs that one job may need. */
  maxNeeds: number;
  /** Given with the pipeline: by its caller, a schedule, a trigger, an upstream pipeline. */
  given: readonly Variable[];
}

export interface CompileRequest extends LoadRequest {
  /** Null: look at the configuration alone, whatever it is for. */
  pipeline: PipelineContext | null;
}

/** What a configuration came to. `errors` has those of all steps; the steps after the first with errors were not taken. */
export interface Compiled {
  mergedYaml: string | null;
  includes: Include[] | null;
  config: PipelineConfig | null;
  /** Null where `pipeline` was, or after errors of the configuration; without a seed where this gives no pipeline. */
  evaluated: EvaluatedPipeline | null;
  errors: string[];
  warnings: string[];
}
