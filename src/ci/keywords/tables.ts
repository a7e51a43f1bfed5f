import type { TreeMap } from '../config/loaded.ts';
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
import type { Place } from './place.ts';
import { only, policy } from './policy.ts';
import { checked, type ReadBy, type Reader } from './reader.ts';
import { release } from './release.ts';
import { retry } from './retry.ts';
import { jobRules } from './rules.ts';
import { coverage, interruptible, stage, tags, timeout } from './scalars.ts';
import { run } from './steps.ts';
import { dastConfiguration, identity, idTokens, secrets } from './tokens.ts';
import { trigger } from './trigger.ts';
import { variables } from './variables.ts';

/** Readers by keyword, in the order in which what is wrong is told. */
type Table = Readonly<Record<string, Reader<unknown>>>;
export type Values<T extends Table> = { [K in keyof T]: ReadBy<T[K]> };

/** What `default` may hold; a job that says nothing of it takes it over. */
export const DEFAULTS = {
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

/** What jobs of both kinds may have. */
export const COMMON = {
  stage,
  only,
  except: policy,
  rules: jobRules,
  variables: variables(['value', 'expand']),
  inherit: inherit(Object.keys(DEFAULTS)),
  environment,
  interruptible,
} as const satisfies Table;

/** What a job for a runner may have. A keyword is added here, and its meaning in `job.ts`. */
export const JOB = {
  ...COMMON,
  ...DEFAULTS,
  script: commands,
  needs: needs('job', 'cross_dependency'),
  coverage,
  release,
  parallel,
  allow_failure: allowFailure,
  publish: checked<string>(STRING),
  pages,
  secrets,
  dast_configuration: dastConfiguration,
  run,
  inputs,
} as const satisfies Table;

/** What a job may have that starts another pipeline. */
export const BRIDGE = {
  ...COMMON,
  trigger,
  needs: needs('job', 'bridge'),
  parallel: bridgeParallel,
} as const satisfies Table;

/** Reads all keywords of a table. */
export function readAll<T extends Table>(table: T, config: TreeMap, at: Place): Values<T> {
  const found: Record<string, unknown> = {};
  for (const key of Object.keys(table)) found[key] = at.read(config, key, table[key]!);
  return found as Values<T>;
}
