import type { Include, LoadRequest } from './config/loaded.ts';
import type { EvaluatedPipeline } from './job-seed.ts';
import type { PipelineConfig } from './pipeline-config.ts';
import type { Variable } from './variables/variable.ts';

/** A CI/CD variable of the instance, a group or the project. */
export interface StoredVariable extends Variable {
  /** Environment scope: `*`, a pattern or a name. */
  environmentScope: string;
}

/** Facts about the pipeline that a configuration is compiled for. */
export interface PipelineContext {
  /** Pipeline source: `push`, `merge_request_event`, ... */
  source: string;
  /** Short name of the branch or tag; for merge requests the source branch. */
  ref: string;
  refType: 'branch' | 'tag' | 'merge_request';
  /** Full path of the project, for `only: [branches@group/project]`. */
  projectPath: string;
  /** Predefined variables that are known before the pipeline exists. */
  predefined: readonly Variable[];
  /** Stored variables available to the ref, lowest precedence first: instance, groups from the root down, project. */
  stored: readonly StoredVariable[];
  /** Maximum number of needs of a job. */
  maxNeeds: number;
  /** Variables of the pipeline: from its caller, a schedule, a trigger, an upstream pipeline. */
  pipelineVariables: readonly Variable[];
}

export interface CompileRequest extends LoadRequest {
  /** Null to only check the configuration. */
  pipeline: PipelineContext | null;
}

/** Result of compiling. `errors` are those of all executed steps; steps after the first one with errors are skipped. */
export interface Compiled {
  mergedYaml: string | null;
  includes: Include[] | null;
  config: PipelineConfig | null;
  /** Null if `pipeline` was null, or after configuration errors; without a seed if there is no pipeline. */
  evaluated: EvaluatedPipeline | null;
  errors: string[];
  warnings: string[];
}
