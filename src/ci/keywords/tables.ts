import { allowFailure } from './allow-failure.ts';
import { artifacts } from './artifacts.ts';
import { caches } from './cache.ts';
import { STRING } from './checks.ts';
import { commands, hooks } from './commands.ts';
import { environment } from './environment.ts';
import { image, services } from './image.ts';
import { inherit } from './inherit.ts';
import { inputs } from './inputs.ts';
import { needs } from './needs.ts';
import { pages } from './pages.ts';
import { bridgeParallel, parallel } from './parallel.ts';
import { only, policy } from './policy.ts';
import { checked } from './reader.ts';
import { release } from './release.ts';
import { retry } from './retry.ts';
import { jobRules } from './rules.ts';
import { coverage, interruptible, stage, tags, timeout } from './scalars.ts';
import { run } from './steps.ts';
import { dastConfiguration, identity, idTokens, secrets } from './tokens.ts';
import { trigger } from './trigger.ts';
import { variables } from './variables.ts';
import { type Table, words } from './words.ts';

/** What `default` may hold; a job that says nothing of it takes it over. */
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
export const DEFAULTS = words(DEFAULT_READERS);

/** What jobs of both kinds may have. */
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
export const COMMON = words(COMMON_READERS);

/** What a job for a runner may have. A keyword is added here, and its meaning in `job.ts`. */
export const JOB = words({
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

/** What a job may have that starts another pipeline. */
export const BRIDGE = words({
  ...COMMON_READERS,
  trigger,
  needs: needs('job', 'bridge'),
  parallel: bridgeParallel,
});
