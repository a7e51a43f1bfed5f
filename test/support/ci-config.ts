import type { PipelineContext } from '../../src/ci/compile-request.ts';
import {
  EMPTY_OPTIONS,
  type JobConfig,
  type JobOptions,
  type PipelineConfig,
  type Rule,
} from '../../src/ci/pipeline-config.ts';
import type { ConfigSources } from '../../src/ci/sources.ts';

export const options = (overrides: Partial<JobOptions> = {}): JobOptions => ({
  ...EMPTY_OPTIONS,
  script: ['true'],
  ...overrides,
});

/** A job as it is after checking, with what is given beside its defaults. */
export const job = (name: string, overrides: Partial<JobConfig> = {}): JobConfig => ({
  name,
  kind: 'build',
  stage: 'test',
  when: 'on_success',
  startIn: null,
  allowFailure: null,
  tags: [],
  needs: null,
  rules: null,
  only: null,
  except: null,
  variables: [],
  inheritVariables: true,
  parallel: null,
  environment: null,
  resourceGroup: null,
  interruptible: null,
  coverage: null,
  options: options(),
  ...overrides,
});

export const rule = (overrides: Partial<Rule> = {}): Rule => ({
  if: null,
  changes: null,
  exists: null,
  when: null,
  startIn: null,
  allowFailure: null,
  variables: [],
  needs: null,
  interruptible: null,
  autoCancel: null,
  ...overrides,
});

export const config = (jobs: JobConfig[], overrides: Partial<PipelineConfig> = {}): PipelineConfig => ({
  stages: ['.pre', 'build', 'test', 'deploy', '.post'],
  workflow: { name: null, rules: null, autoCancel: { onNewCommit: null, onJobFailure: null } },
  variables: [],
  jobs,
  ...overrides,
});

export const variables = (values: Record<string, string>) =>
  Object.entries(values).map(([key, value]) => ({ key, value, raw: false }));

/** A push to a branch, unless something else is given. */
export const pipelineContext = (overrides: Partial<PipelineContext> = {}): PipelineContext => ({
  source: 'push',
  ref: 'main',
  refType: 'branch',
  projectPath: 'group/project',
  predefined: [],
  stored: [],
  pipelineVariables: [],
  maxNeeds: 50,
  ...overrides,
});

/** Sources that have nothing, but for what is given. */
export const sources = (overrides: Partial<ConfigSources> = {}): ConfigSources => ({
  file: async () => ({ missing: true }),
  paths: async () => [],
  project: async () => ({ denied: true }),
  remote: async () => ({ error: 'it is not there' }),
  template: async () => ({ missing: true }),
  component: async () => ({ error: 'content not found' }),
  artifact: async () => ({ error: 'not found' }),
  changedPaths: async () => null,
  addresses: () => null,
  ...overrides,
});
