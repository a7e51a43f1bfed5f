import type { Tree, TreeMap } from '../config/loaded.ts';
import type { Artifacts } from '../pipeline-config.ts';
import { BOOLEAN, EXPIRY, isString, isStrings, MAP, must, oneOf, PRESENT, STRING, STRINGS } from './checks.keyword.ts';
import { own } from './config-node.ts';
import { entry, exclusive, field, keys, type Reader, when } from './reader.ts';
import { reports } from './reports.ts';

export const SAVED_WHEN = ['on_success', 'on_failure', 'always'] as const;
export const WHEN_SAVED = oneOf(SAVED_WHEN, `should be one of: ${SAVED_WHEN.join(', ')}`);

const ACCESS = ['none', 'developer', 'maintainer', 'all'] as const;

const exposes = (value: TreeMap) => own(value, 'expose_as') !== null;
const NO_STAR = must(
  (value: Tree) => !isStrings(value) || !value.some((path) => path.includes('*')),
  "can't contain '*' when used with 'expose_as'",
);
const EXPOSED_NAME = must(
  (value) => isString(value) && /^\w[-\w ]*\w$/.test(value),
  "can contain only letters, digits, '-', '_' and spaces",
);
const SHORT = must((value) => !isString(value) || value.length <= 100, 'is too long (maximum is 100 characters)');

function access(value: TreeMap): Artifacts['access'] {
  if (own(value, 'public') === false) return 'developer';
  return (own(value, 'access') as Artifacts['access'] | null) ?? 'all';
}

/** `artifacts`. */
export const artifacts: Reader<Artifacts> = entry(
  [
    keys('name', 'untracked', 'paths', 'reports', 'when', 'expire_in', 'expose_as', 'exclude', 'public', 'access'),
    exclusive('access', 'public'),
    when(exposes, (value, at) => {
      if (PRESENT(own(value as TreeMap, 'paths')) !== null) at.field('paths', "can't be blank");
    }),
    field('name', STRING),
    field('public', BOOLEAN),
    field('untracked', BOOLEAN),
    field('paths', STRINGS),
    when(exposes, field('paths', NO_STAR)),
    field('expose_as', STRING, SHORT, EXPOSED_NAME),
    field('access', STRING, oneOf(ACCESS, `should be one of: ${ACCESS.join(', ')}`)),
    field('exclude', STRINGS),
    field('reports', MAP),
    field('when', WHEN_SAVED),
    field('expire_in', EXPIRY),
  ],
  (value, at) => ({
    name: own(value, 'name') as string | null,
    paths: own(value, 'paths') as string[] | null,
    exclude: (own(value, 'exclude') as string[] | null) ?? [],
    untracked: own(value, 'untracked') === true,
    when: (own(value, 'when') as Artifacts['when'] | null) ?? 'on_success',
    expireIn: own(value, 'expire_in') as string | null,
    exposeAs: own(value, 'expose_as') as string | null,
    access: access(value),
    ...(at.read(value, 'reports', reports) ?? { reports: {}, coverageReport: null }),
  }),
);
