import { allowFailure } from './allow-failure.ts';
import { artifacts } from './artifacts.keyword.ts';
import { caches } from './cache.keyword.ts';
import { STRING } from './checks.keyword.ts';
import { commands, hooks } from './commands.keyword.ts';
import { environment } from './environment.keyword.ts';
import { image, services } from './image.ts';
import { inherit } from './inherit.ts';
import { inputs } from './inputs.keyword.ts';
import { needs } from './needs.keyword.ts';
import { pages } from './pages.keyword.ts';
import { bridgeParallel, parallel } from './parallel.ts';
import { only, policy } from './policy.ts';
import { checked } from './reader.ts';
import { release } from './release.keyword.ts';
import { retry } from './retry.keyword.ts';
import { jobRules } from './rules.keyword.ts';
import { coverage, interruptible, stage, tags, timeout } from './scalars.keyword.ts';
import { run } from './steps.ts';
import { dastConfiguration, identity, idTokens, secrets } from './tokens.keyword.ts';
import { trigger } from './trigger.keyword.ts';
import { variables } from './variables.keyword.ts';
import { keywordTable, type Table } from './words.keyword.ts';

/** Keywords of `default`, which jobs inherit. */
const DEFAULT_READERS = {
  before_script: commands,
  image,
  services,
  after_script: commands,
  cache: caches,
  interruptible,
  timeout,
  retry,
  tags,
  artifacts,
  hooks,
  id_tokens: idTokens,
  identity,
} as const satisfies Table;
export const DEFAULTS = keywordTable(DEFAULT_READERS);

/** Keywords of all jobs. */
const COMMON_READERS = {
  stage,
  only,
  except: policy,
  rules: jobRules,
  variables: variables(['value', 'expand']),
  inherit: inherit(DEFAULTS.names),
  environment,
  interruptible,
} as const satisfies Table;
export const COMMON = keywordTable(COMMON_READERS);

/** Keywords of jobs for runners. New keywords are added here, and their meaning in `job.keyword.ts`. */
export const JOB = keywordTable({
  ...COMMON_READERS,
  before_script: commands,
  script: commands,
  after_script: commands,
  hooks,
  cache: caches,
  image,
  services,
  timeout,
  retry,
  tags,
  artifacts,
  needs: needs('job', 'cross_dependency'),
  coverage,
  release,
  parallel,
  allow_failure: allowFailure,
  id_tokens: idTokens,
  publish: checked<string>(STRING),
  pages,
  secrets,
  identity,
  dast_configuration: dastConfiguration,
  run,
  inputs,
} satisfies Table & typeof DEFAULT_READERS);

/** Keywords of trigger jobs. */
export const BRIDGE = keywordTable({
  ...COMMON_READERS,
  trigger,
  needs: needs('job', 'bridge'),
  parallel: bridgeParallel,
});
