import { parseDuration } from '../ci.durations.ts';
import type { TreeMap } from '../config/loaded.ts';
import { type Artifacts, EMPTY_OPTIONS, type JobOptions } from '../pipeline-config.ts';
import {
  ABSENT,
  DURATION,
  durationUpTo,
  isMap,
  MAP_OR_BOOLEAN,
  oneOf,
  PRESENT,
  STRING,
  STRINGS,
  tooMany,
} from './checks.keyword.ts';
import { type ConfigNode, own } from './config-node.ts';
import type { Defaults } from './defaults.ts';
import { inherits } from './inherit.ts';
import type { PagesConfig } from './pages.keyword.ts';
import { COMMON_KEYS, COMMON_RULES, common, hasRules, type JobReadContext, type WrittenJob } from './processable.ts';
import { entry, exclusive, field, keys, list, type Reader, type Rule, when } from './reader.ts';
import { MAX_DELAY_SECONDS } from './rules.keyword.ts';
import { DEFAULTS, JOB } from './tables.ts';
import type { KeywordValues } from './words.keyword.ts';

const WHEN = ['on_success', 'on_failure', 'always', 'manual', 'delayed'] as const;
const MAX_INPUTS = 50;

const isDelayed = (value: TreeMap) => own(value, 'when') === 'delayed';

/** A field that is checked even if it is missing. */
const always =
  (key: string, ...checks: readonly (typeof STRING)[]): Rule =>
  (value, at) => {
    for (const check of checks) {
      const text = check(own(value as TreeMap, key));
      if (text !== null) at.field(key, text);
    }
  };

const RULES: readonly Rule[] = [
  ...COMMON_RULES,
  keys(...COMMON_KEYS, ...JOB.names, 'start_in', 'dependencies', 'manual_confirmation'),
  exclusive('script', 'run'),
  exclusive('before_script', 'run'),
  exclusive('after_script', 'run'),
  exclusive('run', 'trigger'),
  when((value) => !Object.hasOwn(value, 'run'), always('script', PRESENT)),
  field('when', STRING, oneOf(WHEN, `should be one of: ${WHEN.join(', ')}`)),
  field('dependencies', STRINGS),
  field('allow_failure', MAP_OR_BOOLEAN),
  field('manual_confirmation', STRING),
  field('inputs', (value) => (isMap(value) ? tooMany(MAX_INPUTS)(Object.keys(value)) : null)),
  when(isDelayed, always('start_in', DURATION, durationUpTo(MAX_DELAY_SECONDS))),
  when((value) => hasRules(value) || !isDelayed(value), always('start_in', ABSENT)),
];

type Words = KeywordValues<typeof JOB>;

/** Own keywords of a job, else inherited ones. */
function withDefaults(words: Words, defaults: Defaults): Words {
  const whole: Record<string, unknown> = { ...words };
  for (const name of DEFAULTS.names as readonly (keyof Defaults)[]) {
    if (whole[name] === null && inherits(name, words.inherit)) whole[name] = defaults[name];
  }
  return whole as Words;
}

const NO_ARTIFACTS: Artifacts = {
  name: null,
  paths: null,
  exclude: [],
  untracked: false,
  when: 'on_success',
  expireIn: null,
  exposeAs: null,
  access: 'all',
  reports: {},
  coverageReport: null,
};

/** The Pages site of a job: by `pages`, or by the name of the job. */
function site(name: string, words: Words): JobOptions['pages'] {
  const pagesConfig: PagesConfig | false | null = words.pages;
  if (pagesConfig === false || (pagesConfig === null && name !== 'pages')) return null;
  return {
    publish: pagesConfig?.publish ?? words.publish ?? 'public',
    pathPrefix: pagesConfig?.pathPrefix ?? null,
    expireIn: pagesConfig?.expireIn ?? null,
  };
}

function checkPublish(name: string, words: Words, pages: JobOptions['pages'], at: ConfigNode): void {
  if (words.publish === null) return;
  if (pages === null) at.field('publish', 'can only be used within a `pages` job');
  if (words.pages && words.pages.publish !== null) {
    at.tell(`${name} job: use either ${name}:publish or ${name}:pages:publish`);
  }
}

function published(artifacts: Artifacts | null, pages: JobOptions['pages']): Artifacts | null {
  if (pages === null) return artifacts;
  const { paths, ...others } = artifacts ?? NO_ARTIFACTS;
  return { ...others, paths: paths?.includes(pages.publish) ? paths : [...(paths ?? []), pages.publish] };
}

function dependencies(value: TreeMap, words: Words, at: ConfigNode): string[] | null {
  const dependencyNames = own(value, 'dependencies') as string[] | null;
  const needs = words.needs;
  if (dependencyNames === null || dependencyNames.length === 0 || needs === null) return dependencyNames;
  if (needs.jobs === null) {
    if (needs.cross.length > 0) at.field('needs', 'corresponding to dependencies must be from the same pipeline');
    return dependencyNames;
  }
  const needed = new Set(needs.jobs.map(({ job }) => job));
  const missing = dependencyNames.filter((name) => !needed.has(name));
  if (missing.length > 0) at.field('dependencies', `the ${list(missing)} should be part of needs`);
  return dependencyNames;
}

/** A job for a runner. */
export const job = (name: string, around: JobReadContext): Reader<WrittenJob> =>
  entry(RULES, (value, at) => {
    const words = JOB.read(value, at);
    const base = common(name, words, value, around, at);
    const taken = withDefaults(words, around.defaults);
    const pages = site(name, words);
    checkPublish(name, words, pages, at);
    const options: JobOptions = {
      ...EMPTY_OPTIONS,
      beforeScript: taken.before_script ?? [],
      script: words.script ?? [],
      afterScript: taken.after_script ?? [],
      image: taken.image,
      services: taken.services ?? [],
      artifacts: published(taken.artifacts, pages),
      cache: taken.cache ?? [],
      dependencies: dependencies(value, words, at),
      crossNeeds: words.needs?.cross ?? [],
      hooks: taken.hooks ?? EMPTY_OPTIONS.hooks,
      idTokens: taken.id_tokens ?? {},
      secrets: words.secrets,
      release: words.release,
      run: words.run,
      inputs: words.inputs,
      pages,
      retry: taken.retry,
      allowFailureExitCodes: words.allow_failure?.exitCodes ?? null,
      timeout: taken.timeout,
      manualConfirmation: own(value, 'manual_confirmation') as string | null,
    };
    return {
      ...base,
      kind: 'build',
      startIn: isDelayed(value) ? parseDuration(own(value, 'start_in') as string) : null,
      allowFailure: words.allow_failure?.always ?? null,
      tags: taken.tags ?? [],
      needs: words.needs?.jobs ?? (words.needs === null ? null : []),
      interruptible: taken.interruptible,
      coverage: words.coverage,
      parallel: words.parallel,
      options,
    };
  });
