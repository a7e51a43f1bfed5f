import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { PACKAGE_TYPES, packageKinds } from '../src/api/packages/package-kinds.ts';
import { kindOf } from '../src/packages/package-kind.ts';

const root = join(import.meta.dirname, '..');
const AREA = 'src/api/packages/';
const TABLE = `${AREA}package-kinds.ts`;
/** Where names of kinds decide nothing about packages. */
const EXCEPTIONS: Readonly<Record<string, string>> = {
  'src/import-export/': 'commit statuses, which the format of exports calls generic',
  'src/pipelines/templates/': 'texts of CI configurations, which call package managers',
  'src/settings/application/ci.settings.ts': 'settings whose names the platform fixes; most are kept only',
  'src/test-bench/': 'seeds, which publish packages as their clients do, and the header that nuget sends its key in',
  'src/db/migrations/': 'what was true when they were released',
};

const text = (file: string): string => readFileSync(join(root, file), 'utf8');
const table = text(TABLE);
/** Folder of each kind: where the routes of its row come from. */
const folders = new Map(
  [...table.matchAll(/\btype: '(\w+)'[\s\S]*?\broutes: (\w+)/g)].map(([, type, routes]) => {
    const [, folder] = new RegExp(`\\b${routes}\\b[^;]* from '\\./([\\w-]+)/`).exec(table) ?? [];
    return [type!, `${AREA}${folder}/`] as const;
  }),
);

const withoutComments = (code: string): string => code.replace(/\/\*[\s\S]*?\*\/|^\s*\/\/.*$/gm, '');
/** A kind as a whole text, as a key, or at the start of a longer name such as that of its limit. */
const named = (type: string) => new RegExp(`['"\`]${type}['"\`]|\\b${type}(?::|_\\w)|\\b\\w+_${type}\\b`);

test('a kind of packages is named in its folder and in the table of kinds only', () => {
  assert.deepEqual([...folders.keys()].sort(), PACKAGE_TYPES);
  const places: string[] = [];
  const used = new Set<string>();
  let own = 0;
  for (const file of globSync('src/**/*.ts', { cwd: root }).map((name) => name.replaceAll('\\', '/'))) {
    if (file.endsWith('.test.ts') || file === TABLE) continue;
    const code = withoutComments(text(file));
    for (const type of PACKAGE_TYPES) {
      if (!named(type).test(code)) continue;
      const exception = Object.keys(EXCEPTIONS).find((path) => file.startsWith(path));
      if (exception !== undefined) used.add(exception);
      else if (file.startsWith(folders.get(type)!)) own += 1;
      else places.push(`${file} names ${type}`);
    }
  }
  assert.deepEqual(places, []);
  assert.ok(own > PACKAGE_TYPES.length, `only ${own} files name their own kind`);
  assert.deepEqual([...used].sort(), Object.keys(EXCEPTIONS).sort(), 'each exception is needed');
});

test('the page of package managers says how to set up each kind', () => {
  const page = text('docs/packages.md');
  const untold = [...packageKinds.values()].filter(
    ({ routes }) =>
      !routes.some(({ options: { path } }) => page.includes(/\/packages\/[\w-]+/.exec(path)?.[0] ?? 'no address')),
  );
  assert.deepEqual(
    untold.map(({ type }) => type),
    [],
  );
});

test('a kind that is not listed is an error, not a kind without limits', () => {
  assert.equal(kindOf(packageKinds, PACKAGE_TYPES[0]!).type, PACKAGE_TYPES[0]);
  assert.throws(() => kindOf(packageKinds, 'unheard-of'), /unheard-of/);
});
