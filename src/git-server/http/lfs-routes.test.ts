import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { after, before, describe, test } from 'node:test';
import { buildTestApp, expectStatus, ROOT_TOKEN, type TestApp } from '../../../test/support/app.ts';
import { checkAnswer } from '../../../test/support/conformance.ts';
import type { TestUser } from '../../../test/support/factories.ts';
import type { Project } from '../../db/tables/projects.table.ts';
import { LFS_TYPE } from './lfs-access.ts';

const CONTENT = 'the bytes of a large file';
const OID = createHash('sha256').update(CONTENT).digest('hex');
const SIZE = CONTENT.length;

let app: TestApp;
before(async () => {
  app = await buildTestApp();
});
after(() => app.close());

const basic = (token: string, name = 'git') => `Basic ${Buffer.from(`${name}:${token}`).toString('base64')}`;

/** Asks below a project's address; every answer is held against what its route declares. */
async function ask(
  project: { full_path: string },
  method: 'GET' | 'POST' | 'PUT',
  path: string,
  { token = ROOT_TOKEN, body, payload, headers = {} }: Asked = {},
) {
  const response = await app.instance.server.app.inject({
    method,
    url: `/${project.full_path}.git/${path}`,
    headers: {
      ...(token === null ? {} : { authorization: token.startsWith('Basic') ? token : basic(token) }),
      ...(method === 'POST' ? { 'content-type': LFS_TYPE } : {}),
      ...headers,
    },
    ...(payload === undefined ? (method === 'POST' ? { payload: JSON.stringify(body ?? {}) } : {}) : { payload }),
  });
  checkAnswer(method, `/-/git/project/${path}`, response);
  return response;
}

interface Asked {
  token?: string | null;
  body?: unknown;
  payload?: string;
  headers?: Record<string, string>;
}

const batch = (project: { full_path: string }, operation: unknown, asked: Asked = {}) =>
  ask(project, 'POST', 'info/lfs/objects/batch', {
    body: { operation, transfers: ['basic'], objects: [{ oid: OID, size: SIZE }], hash_algo: 'sha256' },
    ...asked,
  });
const put = (project: { full_path: string }, asked: Asked = {}) =>
  ask(project, 'PUT', `gitlab-lfs/objects/${OID}/${SIZE}`, { payload: CONTENT, ...asked });
const get = (project: { full_path: string }, asked: Asked = {}) =>
  ask(project, 'GET', `gitlab-lfs/objects/${OID}`, asked);

/** What each of them is answered: reads, then writes. */
async function statuses(project: Project, token: string | null): Promise<string> {
  const lock = (path: string) => ask(project, 'POST', 'info/lfs/locks', { token, body: { path } });
  const answers = [
    await batch(project, 'download', { token }),
    await get(project, { token }),
    await ask(project, 'GET', 'info/lfs/locks', { token }),
    await batch(project, 'upload', { token }),
    await put(project, { token }),
    await lock(`file of ${String(token)}`),
    await ask(project, 'POST', 'info/lfs/locks/verify', { token }),
    await ask(project, 'POST', 'info/lfs/locks/999999/unlock', { token }),
  ];
  return answers.map(({ statusCode }) => statusCode).join(' ');
}

const READS_ONLY = '200 200 200 403 403 403 403 403';
const ALL = '200 200 200 200 200 201 200 404';
const every = (status: number) => Array(8).fill(status).join(' ');

test('who may do what in a private project', async () => {
  const project = await app.make.project();
  expectStatus(await put(project), 200);
  const people = await app.make.members(project);
  assert.equal(await statuses(project, null), every(401));
  assert.equal(await statuses(project, 'glpat-unknown'), every(401));
  const expected: Partial<Record<keyof typeof people, string>> = {
    stranger: every(404),
    guest: every(403),
    planner: every(403),
    reporter: READS_ONLY,
    developer: ALL,
    maintainer: ALL,
    owner: ALL,
  };
  for (const [role, expectedStatuses] of Object.entries(expected)) {
    assert.equal(await statuses(project, people[role as keyof typeof people].token), expectedStatuses, role);
  }
  assert.equal(await statuses(project, ROOT_TOKEN), ALL, 'administrator');
});

test('who may do what in a public project, and in an archived one', async () => {
  const project = await app.make.project({ visibility: 'public' });
  expectStatus(await put(project), 200);
  const { stranger, developer } = await app.make.members(project);
  assert.equal(await statuses(project, null), '200 200 200 403 401 401 401 401');
  assert.equal(await statuses(project, stranger.token), READS_ONLY);
  await app.deps.db.updateTable('projects').set({ archived: 1 }).where('id', '=', project.id).execute();
  assert.equal(await statuses(project, developer.token), READS_ONLY);
});

test('who may do what where the code of a public project is for members', async () => {
  const project = await app.make.project({ visibility: 'public', columns: { repository_access_level: 'private' } });
  expectStatus(await put(project), 200);
  const { stranger, reporter } = await app.make.members(project);
  assert.equal(await statuses(project, null), every(401));
  assert.equal(await statuses(project, stranger.token), every(403));
  assert.equal(await statuses(project, reporter.token), READS_ONLY);
});

test('scopes of tokens, and deploy tokens', async () => {
  const project = await app.make.project();
  expectStatus(await put(project), 200);
  const { developer } = await app.make.members(project);
  const scoped = (...scopes: string[]) => app.make.token(developer.user.id, scopes);
  assert.equal(await statuses(project, await scoped('read_api')), READS_ONLY);
  assert.equal(await statuses(project, await scoped('read_repository')), READS_ONLY);
  assert.equal(await statuses(project, await scoped('write_repository')), ALL);
  assert.equal(await statuses(project, await scoped('read_user')), every(403));
  const made = expectStatus<{ username: string; token: string }>(
    await app.post(`/projects/${project.id}/deploy_tokens`, { json: { name: 'd', scopes: ['read_repository'] } }),
    201,
  );
  assert.equal(await statuses(project, basic(made.token, made.username)), READS_ONLY);
});

test('snippets, projects that are not there and projects without LFS have no large files', async () => {
  const project = await app.make.project({ columns: { settings: JSON.stringify({ lfs_enabled: false }) } });
  for (const path of [project.full_path, 'no/such', 'snippets/1']) {
    assert.equal((await batch({ full_path: path }, 'download')).statusCode, 404, path);
  }
});

describe('answers', () => {
  test('are of the LFS media type, refusals too, and say how to sign in', async () => {
    const project = await app.make.project();
    const refused = await batch(project, 'download', { token: null });
    assert.equal(refused.headers['content-type'], LFS_TYPE);
    assert.match(String(refused.headers['www-authenticate']), /^Basic realm=/);
    assert.match(refused.json<{ message: string }>().message, /^HTTP Basic: Access denied\./);
    const missing = await get(project);
    assert.deepEqual([missing.statusCode, missing.headers['content-type']], [404, LFS_TYPE]);
    assert.equal((await batch(project, 'download')).headers['content-type'], LFS_TYPE);
  });

  test('of batches offer what is missing, and take the credentials along', async () => {
    const project = await app.make.project();
    const objects = async (operation: string) =>
      expectStatus<{ objects: { actions?: Record<string, { href: string; header: object }>; error?: object }[] }>(
        await batch(project, operation),
        200,
      ).objects[0]!;
    const absent = await objects('download');
    assert.deepEqual([absent.actions, Object.keys(absent.error!)], [undefined, ['code', 'message']]);
    const { href, header } = (await objects('upload')).actions!.upload!;
    assert.equal(new URL(href).pathname, `/${project.full_path}.git/gitlab-lfs/objects/${OID}/${SIZE}`);
    assert.deepEqual(header, { Authorization: basic(ROOT_TOKEN), 'Content-Type': 'application/octet-stream' });
    expectStatus(await put(project), 200);
    assert.equal((await objects('upload')).actions, undefined);
    assert.equal(
      new URL((await objects('download')).actions!.download!.href).pathname,
      `/${project.full_path}.git/gitlab-lfs/objects/${OID}`,
    );
    const answer = await get(project);
    assert.deepEqual([answer.body, answer.headers['content-length']], [CONTENT, String(SIZE)]);
  });
});

describe('refusals', () => {
  test('of batches say what is wrong', async () => {
    const project = await app.make.project();
    const object = { oid: OID, size: SIZE };
    for (const [body, status, text] of [
      [{ objects: [] }, 400, /operation is missing/],
      [{ operation: 'remove', objects: [] }, 400, /operation does not have a valid value/],
      [{ operation: 'download' }, 400, /objects is missing/],
      [{ operation: 'download', objects: 'x' }, 400, /objects is invalid/],
      [{ operation: 'download', objects: [object], hash_algo: 'sha512' }, 409, /hash_algo must be sha256/],
      [{ operation: 'download', objects: [{ ...object, oid: '../../x' }] }, 422, /sha256 oid and a size/],
      [{ operation: 'download', objects: [{ ...object, size: -1 }] }, 422, /sha256 oid and a size/],
      [{ operation: 'download', objects: Array(5_001).fill(object) }, 413, /at most 5000/],
    ] as const) {
      const answer = await ask(project, 'POST', 'info/lfs/objects/batch', { body });
      assert.equal(answer.statusCode, status, answer.body);
      assert.match(answer.json<{ message: string }>().message, text);
    }
    const plain = await batch(project, 'download', { headers: { 'content-type': 'text/plain' } });
    assert.equal(plain.statusCode, 415);
  });

  test('of uploads: other bytes than announced, more of them, and addresses that are none', async () => {
    const project = await app.make.project();
    const other = await put(project, { payload: CONTENT.replace('the', 'any') });
    assert.deepEqual([other.statusCode, other.headers['content-type']], [422, LFS_TYPE]);
    assert.equal((await put(project, { payload: CONTENT.slice(1) })).statusCode, 422);
    assert.equal((await put(project, { payload: `${CONTENT}more` })).statusCode, 413);
    const upload = async (path: string) =>
      (await ask(project, 'PUT', `gitlab-lfs/objects/${path}`, { payload: CONTENT })).statusCode;
    assert.equal(await upload(`${'G'.repeat(64)}/${SIZE}`), 404);
    assert.equal(await upload(`${OID}/-1`), 404);
    assert.equal(await upload(`${OID}/${'9'.repeat(15)}`), 413);
    assert.equal((await get(project)).statusCode, 404);
  });

  test('of locks: files that are locked, locks of others, locks that are not there', async () => {
    const project = await app.make.project();
    const { developer, maintainer } = await app.make.members(project);
    const lock = (path: string, { token }: TestUser) =>
      ask(project, 'POST', 'info/lfs/locks', { token, body: { path, ref: { name: 'refs/heads/main' } } });
    const { id } = expectStatus<{ lock: { id: string } }>(await lock('a', maintainer), 201).lock;
    const again = await lock('a', developer);
    assert.deepEqual([again.statusCode, again.json<{ lock: { id: string } }>().lock.id], [409, id]);
    assert.equal((await lock('x'.repeat(4_097), developer)).statusCode, 422);
    assert.equal((await lock('', developer)).statusCode, 400);
    for (const unknown of ['x', '0', '9'.repeat(30)]) {
      assert.equal((await ask(project, 'POST', `info/lfs/locks/${unknown}/unlock`)).statusCode, 404, unknown);
    }
    const other = await app.make.project();
    assert.equal((await ask(other, 'POST', `info/lfs/locks/${id}/unlock`, { body: { force: true } })).statusCode, 404);
  });
});

test('locks are listed by file and id, and in pages', async () => {
  const project = await app.make.project();
  for (const path of ['a', 'b', 'c']) await ask(project, 'POST', 'info/lfs/locks', { body: { path } });
  const list = async (query: string) =>
    expectStatus<{ locks: { id: string; path: string }[]; next_cursor?: string }>(
      await ask(project, 'GET', `info/lfs/locks?${query}`),
      200,
    );
  const first = await list('limit=2');
  assert.deepEqual(
    first.locks.map(({ path }) => path),
    ['a', 'b'],
  );
  const second = await list(`limit=2&cursor=${first.next_cursor}`);
  assert.deepEqual([second.locks.map(({ path }) => path), second.next_cursor], [['c'], undefined]);
  assert.deepEqual((await list('path=b')).locks, [first.locks[1]]);
  assert.deepEqual((await list(`id=${first.locks[0]!.id}`)).locks, [first.locks[0]]);
  for (const none of ['path=d', 'id=x', `id=${'9'.repeat(30)}`]) assert.deepEqual((await list(none)).locks, [], none);
});

test('one transfer of many files is not counted against the throttles of the API', async () => {
  const throttled = await buildTestApp({
    settings: {
      STITHY_THROTTLE_UNAUTHENTICATED_REQUESTS: '1',
      STITHY_THROTTLE_AUTHENTICATED_REQUESTS: '1',
    },
  });
  try {
    const project = await throttled.make.project();
    for (let index = 0; index < 5; index += 1) {
      const answer = await throttled.instance.server.app.inject({
        method: 'GET',
        url: `/${project.full_path}.git/info/lfs/locks`,
        headers: { authorization: basic(ROOT_TOKEN) },
      });
      assert.equal(answer.statusCode, 200);
    }
  } finally {
    await throttled.close();
  }
});
