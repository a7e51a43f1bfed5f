import type { ConfigSources, SourceContext } from '../sources.ts';
import type { VariableValues } from '../variables/variable.ts';
import type { ConfigLimits } from './ci-config.limits.ts';

/** What YAML holds, after references to other places were resolved: plain data. */
export type Tree = string | number | boolean | null | Tree[] | { [key: string]: Tree };
export type TreeMap = { [key: string]: Tree };

export interface LoadRequest {
  /** Text of the file to begin with. */
  content: string;
  /** Its path in the repository, for error texts and for what `include` is relative to. */
  path: string;
  context: SourceContext;
  sources: ConfigSources;
  /** What `include` may speak of: variables of instance, group, project and pipeline, and the predefined ones that are known before the pipeline. */
  variables: VariableValues;
  /** Inputs given from outside, as JSON values. */
  inputs: Readonly<Record<string, unknown>>;
  /** Whether `include:artifact` is allowed: for child pipelines. */
  isChild: boolean;
  /** How large it may be; as `CONFIG_LIMITS` says when absent. */
  limits?: ConfigLimits;
}

/** An included file, as lint lists it. */
export interface Include {
  type: 'local' | 'file' | 'remote' | 'template' | 'component' | 'artifact';
  location: string;
  blob: string | null;
  raw: string | null;
  extra: Record<string, unknown>;
  context_project: string | null;
  context_sha: string | null;
}

/** A configuration with everything included, extended and referenced; not checked yet. */
export interface LoadedConfig {
  /** Null when it could not be made whole. */
  tree: TreeMap | null;
  /** The same as YAML; null after an error of an include. */
  mergedYaml: string | null;
  includes: Include[] | null;
  /** Keys of the top level that are numbers, booleans or nothing: jobs may not be called so. */
  keysWithoutText: ReadonlySet<string>;
  errors: string[];
  warnings: string[];
}
