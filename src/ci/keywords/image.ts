import type { Tree, TreeMap } from '../config/loaded.ts';
import type { Image, Service } from '../pipeline-config.ts';
import {
  ARRAY,
  isMap,
  isString,
  MAP_OR_STRING,
  oneOf,
  onlyOf,
  STRING,
  STRINGS,
  STRINGS_OR_STRING,
} from './checks.keyword.ts';
import { type ConfigNode, own } from './config-node.ts';
import { anyEntry, config, field, keys, type Reader, type Rule, readEach, required } from './reader.ts';
import { plainVariables } from './variables.keyword.ts';

const PULL_POLICIES = ['always', 'never', 'if-not-present'];

const pullPolicy: Reader<string[]> = anyEntry(
  [
    config(STRINGS_OR_STRING),
    config(onlyOf(PULL_POLICIES)),
    config((value) => (isString(value) ? oneOf(PULL_POLICIES)(value) : null)),
  ],
  (value) => (isString(value) ? [value] : (value as string[])),
);

type ExecutorOpts = Image['executor_opts'];

const hasOnly = (value: Tree, allowed: readonly string[]) =>
  value === null ||
  (isMap(value) && Object.entries(value).every(([key, each]) => allowed.includes(key) && isString(each)));

const executorOpts: Rule = (value, at) => {
  if (!isMap(value)) return;
  if (!hasOnly(own(value, 'docker'), ['platform', 'user']) || !hasOnly(own(value, 'kubernetes'), ['user'])) {
    at.field('executor_opts', 'must be a valid json schema');
  }
};

/** An image can be its name only. */
const named = (value: Tree): TreeMap => (isMap(value) ? value : { name: value });

const name: Rule = (value, at) => {
  if (isMap(value) || isString(value)) required('name', STRING)(named(value), at);
};

const COMMON = [config(MAP_OR_STRING), name, field('entrypoint', STRINGS), executorOpts];
const COMMON_KEYS = ['name', 'entrypoint', 'ports', 'pull_policy', 'docker', 'kubernetes'];

/** Ports are only for web terminals. */
const noPorts: Rule = (value, at) => {
  if (isMap(value) && own(value, 'ports') !== null) at.config('contains disallowed keys: ports');
};

function readImage(value: TreeMap, at: ConfigNode): Image {
  const opts: ExecutorOpts = {};
  for (const executor of ['docker', 'kubernetes'] as const) {
    const executorOptions = own(value, executor);
    if (isMap(executorOptions)) opts[executor] = executorOptions as { user?: string };
  }
  return {
    name: own(value, 'name') as string,
    entrypoint: own(value, 'entrypoint') as string[] | null,
    ports: [],
    pull_policy: at.read(value, 'pull_policy', pullPolicy) ?? [],
    executor_opts: opts,
  };
}

export const image: Reader<Image> = anyEntry([keys(...COMMON_KEYS), noPorts, ...COMMON], (value, at) =>
  readImage(named(value), at),
);

const service: Reader<Service> = anyEntry(
  [
    keys(...COMMON_KEYS, 'command', 'alias', 'variables'),
    noPorts,
    ...COMMON,
    field('command', STRINGS),
    field('alias', STRING),
  ],
  (written, at) => {
    const value = named(written);
    return {
      ...readImage(value, at),
      alias: own(value, 'alias') as string | null,
      command: own(value, 'command') as string[] | null,
      variables: at.read(value, 'variables', plainVariables) ?? [],
    };
  },
);

export const services: Reader<Service[]> = anyEntry([config(ARRAY)], (value, at) =>
  readEach(value as Tree[], service, at.child('service')),
);
