import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { buildTestApp, expectStatus, ROOT_TOKEN, type TestApp, TestClock } from '../../../../test/support/app.ts';
import { multipart } from '../../../../test/support/multipart.ts';
import { staffedGroup } from '../../../../test/support/staffed-group.ts';
import { rewriteUploadUrl } from './uploads.addresses.ts';
import { markdownOf, uploadName } from './uploads.names.ts';

type Json = Record<string, unknown>;
interface New {
  id: number;
  alt: string;
  url: string;
  full_path: string;
  markdown: string;
}
/** The current time, since files on disk have real modification times; advanced for jobs. */
const clock = new TestClock(new Date());
let app: TestApp;
before(async () => {
  app = await buildTestApp({ clock });
});
after(() => app.close());

const file = (name = 'dk.png', content = `content of ${name}`) =>
  multipart({}, { field: 'file', name, bytes: Buffer.from(content) });
const upload = async (place: string, name?: string, content?: string) =>
  expectStatus<New>(await app.post(`/${place}/uploads`, file(name, content)), 201);
/** Requests a URL as a browser would. */
const open = (url: string, token: string | null = null) =>
  app.instance.server.app.inject({ url, headers: token === null ? {} : { 'private-token': token } });

test('a file is uploaded, listed, downloaded in every way, and deleted', async () => {
  const project = await app.make.project();
  const place = `projects/${project.id}`;
  const made = await upload(place, 'dk.png', 'bytes of a picture');
  const [, secret] = /^\/uploads\/([0-9a-f]{32})\/dk\.png$/.exec(made.url) ?? [];
  assert.deepEqual(made, {
    id: made.id,
    alt: 'dk',
    url: `/uploads/${secret}/dk.png`,
    full_path: `/-/project/${project.id}/uploads/${secret}/dk.png`,
    markdown: `![dk](/uploads/${secret}/dk.png)`,
  });
  const [listed] = expectStatus<Json[]>(await app.get(`/${place}/uploads`), 200);
  const { id, size, filename, uploaded_by } = listed!;
  const by = uploaded_by as Json;
  assert.deepEqual([id, size, filename, by.id, by.username], [made.id, 18, 'dk.png', 1, 'root']);
  for (const path of [`/${place}/uploads/${made.id}`, `/${place}${made.url}`]) {
    const response = await app.get(path);
    assert.equal(response.statusCode, 200);
    assert.equal(response.body, 'bytes of a picture');
    assert.match(String(response.headers['content-disposition']), /^attachment; filename="dk\.png"/);
  }
  for (const url of [made.full_path, `/${project.full_path}${made.url}`, `/${project.full_path}${made.url}?a=1`]) {
    const response = await open(url, ROOT_TOKEN);
    assert.equal(response.statusCode, 200, url);
    assert.equal(response.body, 'bytes of a picture');
    assert.match(String(response.headers['content-disposition']), /^inline; /);
    assert.equal(response.headers['content-type'], 'image/png');
    assert.equal(response.headers['x-content-type-options'], 'nosniff');
    assert.match(String(response.headers['content-security-policy']), /sandbox/);
  }
  expectStatus(await app.delete(`/${place}/uploads/${made.id}`), 204);
  expectStatus(await app.get(`/${place}/uploads/${made.id}`), 404);
  expectStatus(await app.delete(`/${place}${made.url}`), 404);
  assert.equal((await open(made.full_path, ROOT_TOKEN)).statusCode, 404);
  const second = await upload(place, 'notes.txt');
  expectStatus(await app.delete(`/${place}${second.url}`), 204);
  assert.deepEqual(expectStatus<Json[]>(await app.get(`/${place}/uploads`), 200), []);
});

test('files that a browser could run are only ever saved', async () => {
  const project = await app.make.project({ visibility: 'public' });
  for (const name of ['a.html', 'a.svg', 'a.js', 'a.xhtml', 'constructor', 'a.constructor']) {
    const { full_path } = await upload(`projects/${project.id}`, name, '<script>alert(1)</script>');
    const response = await open(full_path);
    assert.equal(response.headers['content-type'], 'application/octet-stream', name);
    assert.match(String(response.headers['content-disposition']), /^attachment; /);
  }
});

test('an upload is only where it was made', async () => {
  const [one, two] = [await app.make.project(), await app.make.project()];
  const { id, url } = await upload(`projects/${one.id}`);
  expectStatus(await app.get(`/projects/${two.id}/uploads/${id}`), 404);
  expectStatus(await app.get(`/projects/${two.id}${url}`), 404);
  expectStatus(await app.delete(`/projects/${two.id}/uploads/${id}`), 404);
  assert.equal((await open(`/-/project/${two.id}${url}`, ROOT_TOKEN)).statusCode, 404);
  assert.equal((await open(`/-/group/${one.id}${url}`, ROOT_TOKEN)).statusCode, 404);
});

test('who may upload, see and manage files', async () => {
  const project = await app.make.project();
  const people = await app.make.members(project);
  const path = `/projects/${project.id}/uploads`;
  const { id, url, full_path } = await upload(`projects/${project.id}`);
  for (const [name, see, manage] of [
    ['stranger', 404, 404],
    ['guest', 200, 403],
    ['reporter', 200, 403],
    ['developer', 200, 403],
    ['maintainer', 200, 200],
    ['owner', 200, 200],
  ] as const) {
    const { token } = people[name];
    expectStatus(await app.post(path, { token, ...file() }), see === 200 ? 201 : see);
    assert.equal((await app.get(`/projects/${project.id}${url}`, { token })).statusCode, see);
    assert.equal((await open(full_path, token)).statusCode, see);
    assert.equal((await app.get(path, { token })).statusCode, manage);
    assert.equal((await app.get(`${path}/${id}`, { token })).statusCode, manage);
    if (manage !== 200) expectStatus(await app.delete(`${path}/${id}`, { token }), manage);
  }
  assert.equal((await open(full_path)).statusCode, 404);
  assert.equal((await open(`/${project.full_path}${url}`)).statusCode, 404);
  const shown = await app.make.project({ visibility: 'public' });
  assert.equal((await open((await upload(`projects/${shown.id}`)).full_path)).statusCode, 200);
  expectStatus(await app.post(`/projects/${shown.id}/uploads`, { token: null, ...file() }), 401);
  expectStatus(await app.post(`/projects/${shown.id}/uploads`, { token: people.stranger.token, ...file() }), 201);
  const archived = await app.make.project({ columns: { archived: 1 } });
  expectStatus(await app.post(`/projects/${archived.id}/uploads`, file()), 403);
});

test('groups have uploads too', async () => {
  const { group, guest, developer, maintainer } = await staffedGroup(app);
  const path = `/groups/${group.id}/uploads`;
  const made = expectStatus<New>(await app.post(path, { token: guest.token, ...file('a b.zip') }), 201);
  assert.equal(made.markdown, `[a_b.zip](${made.url})`);
  assert.equal(made.full_path, `/-/group/${group.id}${made.url}`);
  for (const url of [made.full_path, `/groups/${group.full_path}/-${made.url}`]) {
    assert.equal((await open(url, guest.token)).statusCode, 200, url);
    assert.equal((await open(url)).statusCode, 404, url);
  }
  expectStatus(await app.get(path, { token: developer.token }), 403);
  assert.equal(expectStatus<Json[]>(await app.get(path, { token: maintainer.token }), 200).length, 1);
  expectStatus(await app.delete(`${path}/${made.id}`, { token: maintainer.token }), 204);
});

test('bad uploads are refused with a reason', async () => {
  const { id } = await app.make.project();
  const path = `/projects/${id}/uploads`;
  assert.equal(expectStatus<Json>(await app.post(path), 400).message, 'file is missing');
  assert.equal(expectStatus<Json>(await app.post(path, { json: { file: 'text' } }), 400).message, 'file is invalid');
  expectStatus(await app.get(`${path}/99999999999999999999`), 400);
  expectStatus(await app.get(`${path}/nothing/file`), 404);
});

test('an upload beyond the limit of files is refused', async () => {
  const small = await buildTestApp({ settings: { STITHY_MAX_FILE_BODY: '2048' } });
  try {
    const { id } = await small.make.project();
    expectStatus(await small.post(`/projects/${id}/uploads`, file('big.bin', 'x'.repeat(4_096))), 413);
    assert.deepEqual(expectStatus<Json[]>(await small.get(`/projects/${id}/uploads`), 200), []);
  } finally {
    await small.close();
  }
});

test('the bytes of removed uploads go, once nothing else has the same', async () => {
  const [one, two] = [await app.make.project(), await app.make.project()];
  const group = await app.make.group();
  const inGroup = await app.make.project({ namespace: group });
  const made = await upload(`projects/${one.id}`, 'a.txt', 'shared');
  await upload(`projects/${two.id}`, 'b.txt', 'shared');
  await upload(`groups/${group.id}`, 'c.txt', 'of a group');
  await upload(`projects/${inGroup.id}`, 'd.txt', 'of its project');
  const { db, blobs } = app.deps;
  const shaOf = async (filename: string) =>
    (await db.selectFrom('uploads').select('sha256').where('filename', '=', filename).executeTakeFirstOrThrow()).sha256;
  const [shared, ofGroup, ofProject] = [await shaOf('a.txt'), await shaOf('c.txt'), await shaOf('d.txt')];
  const left = async () => {
    clock.advance(2 * 3_600_000);
    await app.drain();
    return Promise.all([shared, ofGroup, ofProject].map(async (sha) => (await blobs.stat(sha)) !== null));
  };
  expectStatus(await app.delete(`/projects/${one.id}/uploads/${made.id}`), 204);
  expectStatus(await app.delete(`/groups/${group.id}`), 202);
  assert.deepEqual(await left(), [true, false, false]);
  expectStatus(await app.delete(`/projects/${two.id}`), 202);
  assert.deepEqual(await left(), [false, false, false]);
});

test('uploads count as storage of their project', async () => {
  const { id } = await app.make.project();
  await upload(`projects/${id}`, 'a.txt', '12345');
  await app.drain();
  const { statistics } = expectStatus<{ statistics: Json }>(
    await app.get(`/projects/${id}`, { query: { statistics: true } }),
    200,
  );
  assert.equal(statistics.uploads_size, 5);
});

test('names of uploads mean nothing to a path, and stay readable', () => {
  assert.equal(uploadName('../../etc/passwd'), 'passwd');
  assert.equal(uploadName('C:\\tmp\\my file (1).png'), 'my_file__1_.png');
  assert.equal(uploadName('größe.txt'), 'größe.txt');
  assert.equal(uploadName('..'), '_..');
  assert.equal(uploadName(''), 'unnamed');
  assert.equal(Buffer.byteLength(uploadName(`${'ü'.repeat(300)}.png`)), 200);
  assert.deepEqual(markdownOf('a.mp3', '/u'), { alt: 'a.mp3', markdown: '![a.mp3](/u)' });
  assert.deepEqual(markdownOf('a.svg', '/u'), { alt: 'a.svg', markdown: '![a.svg](/u)' });
  assert.deepEqual(markdownOf('a.mp4', '/u'), { alt: 'a', markdown: '![a](/u)' });
});

test('addresses below projects and groups lead to their uploads', () => {
  const secret = 'a'.repeat(32);
  const cases = [
    [`/a/b/uploads/${secret}/f.png`, `/-/project/a%2Fb/uploads/${secret}/f.png`],
    [`/groups/a/b/-/uploads/${secret}/f.png?x=1`, `/-/group/a%2Fb/uploads/${secret}/f.png?x=1`],
    [`/a/b/-/uploads/${secret}/f.png`, undefined],
    [`/-/project/1/uploads/${secret}/f.png`, undefined],
    [`/api/v4/projects/1/uploads/${secret}/f.png`, undefined],
    [`/a/b?x=/uploads/${secret}/f.png`, undefined],
    ['/a/b/uploads/short/f.png', undefined],
  ] as const;
  for (const [from, to] of cases) assert.equal(rewriteUploadUrl(from), to ?? from);
});
