import type { TreeMap } from './config/loaded.ts';

/** A validated configuration: values are normalized, defaults applied, and `parallel` is expanded. */
export interface PipelineConfig {
  /** `.pre` first and `.post` last. */
  stages: string[];
  workflow: {
    name: string | null;
    rules: Rule[] | null;
    autoCancel: AutoCancel;
  };
  /** Top-level variables. */
  variables: ConfigVariable[];
  /** In order, after expanding `parallel`. */
  jobs: JobConfig[];
}

export interface AutoCancel {
  onNewCommit: 'conservative' | 'interruptible' | 'none' | null;
  onJobFailure: 'none' | 'all' | null;
}

export interface ConfigVariable {
  key: string;
  value: string;
  raw: boolean;
  description?: string;
  options?: string[];
}

export type When = 'on_success' | 'on_failure' | 'always' | 'manual' | 'delayed';

export interface ChangesRule {
  paths: string[];
  compareTo: string | null;
}
export interface ExistsRule {
  paths: string[];
  project: string | null;
  ref: string | null;
}

/** An entry of `rules` of a job or the workflow. */
export interface Rule {
  if: string | null;
  changes: ChangesRule | null;
  exists: ExistsRule | null;
  when: When | 'never' | null;
  /** Seconds. */
  startIn: number | null;
  allowFailure: boolean | { exitCodes: number[] } | null;
  variables: ConfigVariable[];
  needs: Need[] | null;
  interruptible: boolean | null;
  autoCancel: AutoCancel | null;
}

/** `only` or `except`. */
export interface RefPolicy {
  refs: string[] | null;
  /** Expressions. */
  variables: string[] | null;
  changes: string[] | null;
  kubernetes: 'active' | null;
}

export interface Need {
  job: string;
  artifacts: boolean;
  optional: boolean;
}

/** Needed artifacts of another pipeline or project. */
export interface CrossNeed {
  pipeline: string | null;
  project: string | null;
  ref: string | null;
  job: string;
  artifacts: boolean;
}

export interface Image {
  name: string;
  entrypoint: string[] | null;
  ports: { number: number; protocol: string; name: string }[];
  pull_policy: string[];
  executor_opts: { docker?: { platform?: string; user?: string }; kubernetes?: { user?: string } };
}
export interface Service extends Image {
  alias: string | null;
  command: string[] | null;
  variables: ConfigVariable[];
}

export interface Artifacts {
  name: string | null;
  paths: string[] | null;
  exclude: string[];
  untracked: boolean;
  when: 'on_success' | 'on_failure' | 'always';
  /** As written; converted to seconds where it is used. */
  expireIn: string | null;
  exposeAs: string | null;
  /** Who may read them. */
  access: 'all' | 'developer' | 'maintainer' | 'none';
  /** Paths by report type. */
  reports: Record<string, string[]>;
  coverageReport: { format: 'cobertura' | 'jacoco'; path: string } | null;
}

export interface Cache {
  key: string | { files: string[]; filesCommits: boolean; prefix: string | null };
  paths: string[];
  untracked: boolean;
  policy: string;
  when: 'on_success' | 'on_failure' | 'always';
  unprotect: boolean;
  fallbackKeys: string[];
}

export interface EnvironmentConfig {
  name: string;
  url: string | null;
  onStop: string | null;
  action: 'start' | 'prepare' | 'stop' | 'verify' | 'access';
  autoStopIn: string | null;
  deploymentTier: string | null;
  kubernetes: TreeMap | null;
}

export interface Trigger {
  /** Full path, possibly with variables; null for a child pipeline. */
  project: string | null;
  branch: string | null;
  /** Includes of a child pipeline, as written. */
  include: TreeMap[] | null;
  strategy: 'depend' | 'mirror' | null;
  forward: { yamlVariables: boolean; pipelineVariables: boolean };
  inputs: TreeMap;
}

export interface Release {
  tag_name: string;
  description: string;
  tag_message: string | null;
  name: string | null;
  ref: string | null;
  milestones: string[];
  released_at: string | null;
  links: { name: string; url: string; link_type?: string; filepath?: string }[];
}

/** Options for the runner, stored as JSON and not used before. */
export interface JobOptions {
  beforeScript: string[];
  script: string[];
  afterScript: string[];
  image: Image | null;
  services: Service[];
  artifacts: Artifacts | null;
  cache: Cache[];
  /** Names of jobs whose artifacts are downloaded; null for all earlier stages. */
  dependencies: string[] | null;
  crossNeeds: CrossNeed[];
  hooks: { preGetSourcesScript: string[] };
  idTokens: Record<string, { aud: string[] }>;
  secrets: TreeMap | null;
  release: Release | null;
  /** `run` steps, as written. */
  run: TreeMap[] | null;
  /** `inputs` of the job, as written. */
  inputs: TreeMap | null;
  pages: { publish: string; pathPrefix: string | null; expireIn: string | null } | null;
  retry: { max: number; when: string[] | null; exitCodes: number[] | null } | null;
  allowFailureExitCodes: number[] | null;
  /** Seconds. */
  timeout: number | null;
  manualConfirmation: string | null;
  trigger: Trigger | null;
  /** `needs:pipeline` of a bridge: the project whose status it mirrors. */
  upstreamProject: string | null;
}

/** Of a job of which nothing is said. */
export const EMPTY_OPTIONS: JobOptions = {
  beforeScript: [],
  script: [],
  afterScript: [],
  image: null,
  services: [],
  artifacts: null,
  cache: [],
  dependencies: null,
  crossNeeds: [],
  hooks: { preGetSourcesScript: [] },
  idTokens: {},
  secrets: null,
  release: null,
  run: null,
  inputs: null,
  pages: null,
  retry: null,
  allowFailureExitCodes: null,
  timeout: null,
  manualConfirmation: null,
  trigger: null,
  upstreamProject: null,
};

/** A complete job. */
export interface JobConfig {
  name: string;
  kind: 'build' | 'bridge';
  stage: string;
  when: When | 'never';
  startIn: number | null;
  /** Null for the default by `when`. */
  allowFailure: boolean | null;
  tags: string[];
  /** Null if the job waits for its stage. */
  needs: Need[] | null;
  rules: Rule[] | null;
  only: RefPolicy | null;
  except: RefPolicy | null;
  variables: ConfigVariable[];
  /** Inherited top-level variables: all, none, or the named ones. */
  inheritVariables: boolean | string[];
  /** Position in `parallel`: `CI_NODE_INDEX`, `CI_NODE_TOTAL`, and its matrix values. */
  parallel: { index: number; total: number; matrix: Record<string, string> | null; of: string } | null;
  environment: EnvironmentConfig | null;
  resourceGroup: string | null;
  interruptible: boolean | null;
  coverage: string | null;
  options: JobOptions;
}
