import type { ConfigSources, SourceContext } from '../sources.ts';
import type { VariableValues } from '../variables/variable.ts';
import type { ConfigLimits } from './ci-config.limits.ts';

/** Data of a YAML file after references are resolved. */
export type Tree = string | number | boolean | null | Tree[] | { [key: string]: Tree };
export type TreeMap = { [key: string]: Tree };

export interface LoadRequest {
  /** Content of the root file. */
  content: string;
  /** Its path in the repository, for messages and relative includes. */
  path: string;
  context: SourceContext;
  sources: ConfigSources;
  /**
   * Variables available to `include`: of instance, group, project and pipeline, and predefined ones known before the
   * pipeline.
   */
  variables: VariableValues;
  /** Input values of the pipeline, as JSON. */
  inputs: Readonly<Record<string, unknown>>;
  /** Whether `include:artifact` is allowed, which is for child pipelines. */
  isChild: boolean;
  /** Limits; `CONFIG_LIMITS` by default. */
  limits?: ConfigLimits;
}

/** An included file, as shown by lint. */
export interface Include {
  type: 'local' | 'file' | 'remote' | 'template' | 'component' | 'artifact';
  location: string;
  blob: string | null;
  raw: string | null;
  extra: Record<string, unknown>;
  context_project: string | null;
  context_sha: string | null;
}

/** A configuration with includes, extends and references resolved, but not validated. */
export interface LoadedConfig {
  /** Null if it could not be loaded. */
  tree: TreeMap | null;
  /** The merged configuration as YAML; null after an include error. */
  mergedYaml: string | null;
  includes: Include[] | null;
  /** Top-level keys that are numbers, booleans or null, which are invalid as job names. */
  keysWithoutText: ReadonlySet<string>;
  errors: string[];
  warnings: string[];
}
