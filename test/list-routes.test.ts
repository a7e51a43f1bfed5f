import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isListRoute } from '../src/http/openapi/operation-ids.ts';
import { routes } from '../src/routes.ts';
import { PLAN_ONLY_LISTS, UNTESTED_LIST_ROUTES } from './support/many/list-exceptions.ts';
import { LISTS } from './support/many/lists.ts';

const paths = routes.filter(isListRoute).map(({ options }) => options.path);

/** A list without its query: `/projects/many%2Fp1/issues`. */
const addressOf = (list: string): string => `/${list.split('?')[0]}`;

/** Whether an address is one of a route, given its path with parameters. */
function isOf(path: string, address: string): boolean {
  const [segments, asked] = [path.split('/'), address.split('/')];
  return (
    segments.length === asked.length &&
    segments.every((segment, index) => segment.startsWith(':') || segment === asked[index])
  );
}

/** Routes of lists that one of some lists asks for. */
const askedBy = (lists: readonly string[]): string[] =>
  paths.filter((path) => lists.some((list) => isOf(path, addressOf(list))));

test('every route that answers with an array is asked for its query plan and its growth, or is a named exception', () => {
  const known = new Set([...askedBy([...LISTS, ...PLAN_ONLY_LISTS]), ...Object.keys(UNTESTED_LIST_ROUTES)]);
  assert.deepEqual(
    paths.filter((path) => !known.has(path)),
    [],
    'enter these in test/support/many/lists.ts, or with a reason in list-exceptions.ts',
  );
});

test('no exception is out of date', () => {
  const growing = askedBy(LISTS);
  const planned = askedBy(PLAN_ONLY_LISTS);
  const untested = Object.keys(UNTESTED_LIST_ROUTES);
  assert.deepEqual(
    planned.filter((path) => growing.includes(path)),
    [],
    'their growth is measured',
  );
  assert.deepEqual(
    untested.filter((path) => growing.includes(path) || planned.includes(path)),
    [],
    'these are tested',
  );
  assert.deepEqual(
    untested.filter((path) => !paths.includes(path)),
    [],
    'there is no such list',
  );
  assert.deepEqual(
    PLAN_ONLY_LISTS.filter((list) => !paths.some((path) => isOf(path, addressOf(list)))),
    [],
    'no list is at these addresses',
  );
});
