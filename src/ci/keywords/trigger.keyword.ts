import type { TreeMap } from '../config/loaded.ts';
import type { Trigger } from '../pipeline-config.ts';
import { BOOLEAN, isMap, isString, MAP, MAP_OR_STRING, oneOf, PRESENT, STRING } from './checks.keyword.ts';
import { type ConfigNode, own } from './config-node.ts';
import { anyEntry, checked, config, entry, field, keys, type Reader, type Rule, readEach, required } from './reader.ts';

const MAX_INCLUDES = 3;
const strategy = field('strategy', STRING, oneOf(['depend', 'mirror'], 'should be depend or mirror'));

type Forward = Trigger['forward'];
const DEFAULT_FORWARD: Forward = { yamlVariables: true, pipelineVariables: false };

const forward: Reader<Forward> = entry(
  [
    keys('yaml_variables', 'pipeline_variables'),
    field('yaml_variables', BOOLEAN),
    field('pipeline_variables', BOOLEAN),
  ],
  (value) => ({
    yamlVariables: own(value, 'yaml_variables') !== false,
    pipelineVariables: own(value, 'pipeline_variables') === true,
  }),
);

const INCLUDE_KEYS = [
  'local',
  'file',
  'remote',
  'template',
  'component',
  'artifact',
  'inputs',
  'job',
  'project',
  'ref',
  'rules',
  'integrity',
  'cache',
];

const complete: Rule = (value, at) => {
  if (!isMap(value)) return;
  if (own(value, 'artifact') !== null && own(value, 'job') === null) {
    at.config('must specify the job where to fetch the artifact from');
  }
  if (own(value, 'project') !== null && own(value, 'file') === null) {
    at.config('must specify the file where to fetch the config from');
  }
};

const include: Reader<TreeMap> = anyEntry([config(MAP_OR_STRING), keys(...INCLUDE_KEYS), complete], (value) => {
  if (isMap(value)) return value;
  return /^https?:\/\//.test(value as string) ? { remote: value } : { local: value };
});

const includes: Reader<TreeMap[]> = anyEntry(
  [
    config((value) => (Array.isArray(value) ? null : MAP_OR_STRING(value))),
    config((value) =>
      Array.isArray(value) && value.length > MAX_INCLUDES ? `is too long (maximum is ${MAX_INCLUDES})` : null,
    ),
  ],
  (value, at) => readEach(Array.isArray(value) ? value : [value], include, at.child('include')),
);

const map = checked<TreeMap>(MAP);

function common(value: TreeMap, at: ConfigNode) {
  return {
    strategy: own(value, 'strategy') as Trigger['strategy'],
    forward: at.read(value, 'forward', forward) ?? DEFAULT_FORWARD,
    inputs: at.read(value, 'inputs', map) ?? {},
  };
}

const otherProject: Reader<Trigger> = entry(
  [
    config(PRESENT),
    keys('project', 'branch', 'strategy', 'forward', 'inputs'),
    required('project', STRING),
    field('branch', STRING),
    strategy,
  ],
  (value, at) => ({
    project: own(value, 'project') as string,
    branch: own(value, 'branch') as string | null,
    include: null,
    ...common(value, at),
  }),
);

const child: Reader<Trigger> = entry([keys('include', 'strategy', 'forward', 'inputs'), strategy], (value, at) => ({
  project: null,
  branch: null,
  include: at.read(value, 'include', includes) ?? [],
  ...common(value, at),
}));

const simple: Reader<Trigger> = anyEntry([config(PRESENT)], (value) => ({
  project: value as string,
  branch: null,
  include: null,
  strategy: null,
  forward: DEFAULT_FORWARD,
  inputs: {},
}));

/** `trigger`: the pipeline to start, in the own or another project. */
export const trigger: Reader<Trigger> = (value, at) => {
  if (isString(value)) return simple(value, at);
  if (!isMap(value)) return at.says('has to be either a string or a hash');
  return Object.hasOwn(value, 'include') ? child(value, at) : otherProject(value, at);
};
