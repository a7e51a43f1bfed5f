import { ENVIRONMENT_NAME, TIERS } from '../ci.environments.ts';
import type { Tree, TreeMap } from '../config/loaded.ts';
import type { EnvironmentConfig } from '../pipeline-config.ts';
import {
  DURATION,
  isBlank,
  isMap,
  isString,
  MAP,
  MAP_OR_STRING,
  must,
  oneOf,
  PRESENT,
  STRING,
  tooLong,
} from './checks.keyword.ts';
import { own } from './config-node.ts';
import { anyEntry, config, entry, field, keys, type Reader, type Rule, required, when } from './reader.ts';

const NAME_TEXT =
  "can contain only letters, digits, '-', '_', '/', '$', '{', '}', '.', and spaces, but it cannot start or end with '/'";
const NAME = must((value) => isString(value) && ENVIRONMENT_NAME.test(value), NAME_TEXT);

const named = (value: Tree): TreeMap => (isString(value) ? { name: value } : isMap(value) ? value : {});

const name: Rule = (value, at) => {
  if (!isMap(value) && !isString(value)) return;
  const environmentName = own(named(value), 'name');
  for (const check of [PRESENT, NAME]) {
    const text = check(environmentName);
    if (text !== null) at.field('name', text);
  }
};

const ACTIONS = ['start', 'stop', 'prepare', 'verify', 'access'] as const;
const hasVariable = (value: Tree) => isString(value) && /\$\{?\w|%\w+%/.test(value);

const needsAgent = (value: TreeMap) => {
  const resources = own(value, 'managed_resources');
  return (
    !isBlank(own(value, 'flux_resource_path')) ||
    !isBlank(own(value, 'dashboard')) ||
    (isMap(resources) && own(resources, 'enabled') === true)
  );
};

const kubernetes: Reader<TreeMap> = entry(
  [
    config(PRESENT),
    keys('namespace', 'agent', 'flux_resource_path', 'managed_resources', 'dashboard'),
    field('namespace', STRING),
    when((value) => !isBlank(own(value, 'flux_resource_path')), required('namespace')),
    field('agent', STRING),
    when(needsAgent, required('agent')),
    field('flux_resource_path', STRING),
    field('managed_resources', MAP),
    field('dashboard', MAP),
  ],
  (value) => value,
);

const isHash =
  (rule: Rule): Rule =>
  (value, at) => {
    if (isMap(value)) rule(value, at);
  };

/** `environment`. */
export const environment: Reader<EnvironmentConfig> = anyEntry(
  [
    config(MAP_OR_STRING),
    name,
    ...[
      keys('name', 'url', 'action', 'on_stop', 'auto_stop_in', 'kubernetes', 'deployment_tier'),
      field('url', STRING, tooLong(255)),
      field('action', STRING, oneOf(ACTIONS, 'should be start, stop, prepare, verify, or access')),
      field(
        'deployment_tier',
        STRING,
        oneOf(TIERS, 'must be one of production, staging, testing, development, or other'),
      ),
      field('on_stop', STRING),
      field('auto_stop_in', (value) => (hasVariable(value) ? null : DURATION(value))),
    ].map(isHash),
  ],
  (written, at) => {
    const value = named(written);
    const text = (key: string) => own(value, key) as string | null;
    return {
      name: text('name')!,
      url: text('url'),
      onStop: text('on_stop'),
      action: (text('action') as EnvironmentConfig['action'] | null) ?? 'start',
      autoStopIn: text('auto_stop_in'),
      deploymentTier: text('deployment_tier'),
      kubernetes: at.read(value, 'kubernetes', kubernetes),
    };
  },
);
