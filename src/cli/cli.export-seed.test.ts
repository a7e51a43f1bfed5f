import assert from 'node:assert/strict';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, relative, resolve } from 'node:path';
import { after, test } from 'node:test';
import { parse } from 'yaml';
import { buildTestApp, expectStatus, ROOT_TOKEN, type TestApp, TestClock } from '../../test/support/app.ts';
import { runCommand } from '../../test/support/stithy-command.ts';
import { isListRoute } from '../http/openapi/operation-ids.ts';
import { routes } from '../routes.ts';
import { seedSchema } from '../test-bench/seed/seed.schema.ts';
import type { FieldSchema } from '../test-bench/seed/seed-fields.ts';

const WIDE = resolve(import.meta.dirname, '../../test/fixtures/wide.seed.yml');

const open: TestApp[] = [];
after(async () => {
  for (const app of open) await app.close();
});

async function seeded(file: string): Promise<{ app: TestApp; url: string }> {
  const app = await buildTestApp({ clock: new TestClock(), settings: { STITHY_BENCH: '1' } });
  open.push(app);
  const url = await app.listen();
  const result = await runCommand(['seed', file, '--url', url, '--token', ROOT_TOKEN], {});
  assert.match(result.stdout + result.stderr, /^Made .*merge requests/);
  return { app, url };
}

async function exported(url: string, file: string): Promise<string> {
  const result = await runCommand(['export-seed', file, '--url', url, '--token', ROOT_TOKEN], {});
  assert.equal(result.stdout + result.stderr, `Wrote ${file}.\n`);
  return readFile(file, 'utf8');
}

type Schemas = Readonly<Record<string, FieldSchema>>;

/** The fields of an object, or of those in a list. */
const fieldsIn = ({ properties, items, anyOf }: FieldSchema): Schemas =>
  properties ?? fieldsIn(items ?? anyOf!.find((each) => each.properties !== undefined)!);

/** Lists of what happened while it was made; tokens are no part of an export. */
const UNEQUAL = /(?:^|\/)(?:events|audit_events|personal_access_tokens)$/;

/** What there is once beside the lists. */
const SINGLE = [
  '/groups/:id',
  '/groups/:id/push_rule',
  '/projects/:id',
  '/projects/:id/push_rule',
  '/projects/:id/approvals',
  '/users/:id',
  '/application/settings',
];

/** Addresses of lists and settings: those of the server, and those of each group, project and user. */
async function addressesOf(app: TestApp): Promise<string[]> {
  const ids = async (path: string) => expectStatus<{ id: number }[]>(await app.get(path), 200).map(({ id }) => id);
  const owners = { groups: await ids('/groups'), projects: await ids('/projects'), users: await ids('/users') };
  const paths = [...routes.filter(isListRoute).map(({ options }) => options.path), ...SINGLE];
  return paths.flatMap((path) => {
    if (UNEQUAL.test(path)) return [];
    if (!path.includes(':')) return [path];
    const [, kind, rest] = /^\/(groups|projects|users)\/:\w+((?:\/[^:]*)?)$/.exec(path) ?? [];
    return kind === undefined ? [] : owners[kind as keyof typeof owners].map((id) => `/${kind}/${id}${rest}`);
  });
}

/** An answer without addresses, what is random, sizes of packs, and dates that a seed cannot give. */
function comparable(path: string, body: string, url: string): unknown {
  const undated = /\/(?:integrations|services|push_rule)$/.test(path) ? ['created_at'] : [];
  const left = new Set([
    'updated_at',
    'last_activity_at',
    'starred_since',
    'token',
    'runners_token',
    'root_repository_size',
    ...undated,
  ]);
  return JSON.parse(body.replaceAll(url, ''), (key, value: unknown) => (left.has(key) ? undefined : value));
}

test('what a seed has made, export-seed writes, and a server made of that has the same lists', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'stithy-test-'));
  const file = join(folder, 'a.yml');
  try {
    const first = await seeded(WIDE);
    // As people name files: from where they are.
    const text = await exported(first.url, relative(process.cwd(), file));
    const second = await seeded(file);
    assert.deepEqual((await exported(second.url, file)).split('\n'), text.split('\n'));
    for (const { app } of [first, second]) await app.drain();
    const paths = await addressesOf(first.app);
    assert.ok(paths.length > 400, String(paths.length));
    for (const path of [...paths, '/projects/1/repository/commits?all=true']) {
      const [one, two] = [await first.app.get(path), await second.app.get(path)];
      assert.equal(two.statusCode, one.statusCode, path);
      if (one.statusCode === 200)
        assert.deepEqual(comparable(path, two.body, second.url), comparable(path, one.body, first.url), path);
    }
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
});

/** What a seed can hold and an export has not: secrets, and histories, which are in the bundles. */
const NOT_EXPORTED = new Set([
  'seed.applications',
  'users.tokens',
  'projects.commits',
  'projects.branches',
  'projects.tags',
]);

test('all that a seed can hold is exported, but for what is named', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'stithy-test-'));
  try {
    const { url } = await seeded(WIDE);
    const seed = parse(await exported(url, join(folder, 'a.yml'))) as Record<string, unknown>;
    const { properties = {}, $defs } = seedSchema() as { properties?: Schemas; $defs: Schemas };
    const schemas: Schemas = { seed: { properties } as FieldSchema, ...properties, groups: $defs.groups! };
    const missing = ['seed', 'users', 'groups', 'projects'].flatMap((name) => {
      const items = name === 'seed' ? [seed] : (seed[name] as object[]);
      const written = new Set(items.flatMap((item) => Object.keys(item)));
      return Object.entries(fieldsIn(schemas[name]!))
        .filter(([, schema]) => ['array', 'object'].includes(String(schema.type)) || schema.items !== undefined)
        .map(([key]) => `${name}.${key}`)
        .filter((key) => !written.has(key.split('.')[1]!) && !NOT_EXPORTED.has(key));
    });
    assert.deepEqual(missing, []);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
});

test('only an administrator exports, and the server must be there', async () => {
  const app = await buildTestApp();
  try {
    const url = await app.listen();
    const { token } = await app.make.user();
    const run = (...args: string[]) => runCommand(['export-seed', join(tmpdir(), 'none.yml'), ...args], {});
    assert.match((await run('--url', url, '--token', token)).stderr, /must be that of an administrator/);
    assert.match((await run('--url', url, '--token', 'x')).stderr, /refuses the token/);
    assert.equal((await run('--token', token)).code, 2);
    assert.match((await run('--url', 'http://127.0.0.1:1', '--token', token)).stderr, /no server answers/);
  } finally {
    await app.close();
  }
});
