import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { buildTestApp, expectStatus, type RequestOptions, type TestApp } from '../../../../test/support/app.ts';
import { seededProject } from '../../../../test/support/seeded-project.ts';
import type { BranchJson } from './branches.inputs.ts';

let app: TestApp;
before(async () => {
  app = await buildTestApp();
});
after(() => app.close());

async function names(path: string, query: NonNullable<RequestOptions['query']>): Promise<string[]> {
  const branches = expectStatus<BranchJson[]>(await app.get(`${path}/branches`, { query }), 200);
  return branches.map(({ name }) => name);
}

test('GET /branches searches by a part, the beginning and the end of the name, and by a pattern', async (t) => {
  const { path, git, head } = await seededProject(app, t);
  for (const name of ['release/1', 'release/2', 'old-release', 'Feature']) {
    git.git(['update-ref', `refs/heads/${name}`, head]);
  }
  assert.deepEqual(await names(path, { search: 'release' }), ['old-release', 'release/1', 'release/2']);
  assert.deepEqual(await names(path, { search: '^release' }), ['release/1', 'release/2']);
  assert.deepEqual(await names(path, { search: 'release$' }), ['old-release']);
  assert.deepEqual(await names(path, { search: 'feature' }), ['Feature']);
  assert.deepEqual(await names(path, { search: 'nothing' }), []);
  assert.deepEqual(await names(path, { regex: '^release/\\d$' }), ['release/1', 'release/2']);
  assert.deepEqual(await names(path, { regex: '^F' }), ['Feature']);
  const total = await app.get(`${path}/branches`, { query: { search: 'release', per_page: 2 } });
  assert.deepEqual([total.headers['x-total'], total.headers['x-total-pages']], ['3', '2']);
});

test('GET /branches refuses a bad pattern, and a pattern together with a search', async (t) => {
  const { path } = await seededProject(app, t);
  const get = async (query: Record<string, string>) =>
    expectStatus(await app.get(`${path}/branches`, { query }), 400).message;
  assert.equal(await get({ regex: '(' }), 'Regex is invalid');
  assert.equal(await get({ regex: 'a', search: 'b' }), 'search, regex are mutually exclusive');
  assert.equal(await get({ sort: 'size_asc' }), 'sort does not have a valid value');
  assert.match(String(await get({ regex: 'a'.repeat(2_000) })), /^regex is too long/);
});

test('GET /branches sorts by the time of the last commit', async (t) => {
  const { path, git, base } = await seededProject(app, t);
  const at = (seconds: number, parent: string) => {
    const tree = git.git(['rev-parse', `${parent}^{tree}`]);
    const who = `Ada <ada@example.com> ${seconds} +0000`;
    const text = `tree ${tree}\nparent ${parent}\nauthor ${who}\ncommitter ${who}\n\nlater\n`;
    return git.git(['hash-object', '-t', 'commit', '-w', '--stdin'], text);
  };
  git.git(['update-ref', 'refs/heads/a-newest', at(1_900_000_000, base)]);
  git.git(['update-ref', 'refs/heads/z-oldest', at(1_000_000_000, base)]);
  assert.deepEqual(await names(path, { sort: 'updated_asc' }), ['z-oldest', 'main', 'side', 'a-newest']);
  assert.deepEqual(await names(path, { sort: 'updated_desc' }), ['a-newest', 'main', 'side', 'z-oldest']);
  assert.deepEqual(await names(path, { sort: 'name_asc' }), ['a-newest', 'main', 'side', 'z-oldest']);
});

test('GET /branches pages by number', async (t) => {
  const { path, git, head } = await seededProject(app, t);
  for (const name of ['a', 'b', 'c']) git.git(['update-ref', `refs/heads/${name}`, head]);
  assert.deepEqual(await names(path, { per_page: 2, page: 2 }), ['c', 'main']);
  assert.deepEqual(await names(path, { per_page: 2, page: 3 }), ['side']);
  assert.deepEqual(await names(path, { per_page: 2, page: 4 }), []);
  const { headers } = await app.get(`${path}/branches`, { query: { per_page: 2, page: 2 } });
  assert.deepEqual(
    [headers['x-next-page'], headers['x-prev-page'], headers['x-total'], headers['x-total-pages']],
    ['3', '1', '5', '3'],
  );
});

test('GET /branches pages by token', async (t) => {
  const { path, git, head } = await seededProject(app, t);
  for (const name of ['a', 'b', 'c/d']) git.git(['update-ref', `refs/heads/${name}`, head]);
  const seen: string[] = [];
  let query: Record<string, string> | null = { pagination: 'keyset', per_page: '2' };
  for (let page = 0; query !== null && page < 5; page += 1) {
    const response = await app.get(`${path}/branches`, { query });
    seen.push(...expectStatus<BranchJson[]>(response, 200).map(({ name }) => name));
    assert.equal(response.headers['x-total'], undefined);
    const next = /^<([^>]+)>; rel="next"$/.exec(String(response.headers.link ?? ''))?.[1];
    query = next === undefined ? null : Object.fromEntries(new URL(next).searchParams);
  }
  assert.deepEqual(seen, ['a', 'b', 'c/d', 'main', 'side']);
  const after = (page_token: string, more = {}) => names(path, { pagination: 'keyset', page_token, ...more });
  assert.deepEqual(await after('refs/heads/c/d'), ['main', 'side']);
  assert.deepEqual(await after('cc'), ['main', 'side']);
  assert.deepEqual(await after('zz'), []);
  const gone = { pagination: 'keyset', page_token: 'cc', sort: 'updated_asc' };
  expectStatus(await app.get(`${path}/branches`, { query: gone }), 422);
});
