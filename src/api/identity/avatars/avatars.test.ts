import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { buildTestApp, expectStatus, ROOT_TOKEN, type TestApp } from '../../../../test/support/app.ts';
import { multipart } from '../../../../test/support/multipart.ts';
import { contentTypeOf, pictureName } from './formats.ts';

/** A picture of one pixel. */
const PNG = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
);

let app: TestApp;
before(async () => {
  app = await buildTestApp();
});
after(() => app.close());

interface Shown {
  id: number;
  avatar_url: string | null;
}

const picture = (name = 'me.png', bytes: Buffer = PNG) =>
  multipart({}, { field: 'avatar', name, bytes, type: 'image/png' });

/** Gets an address that an answer gave. */
const fetchUrl = (url: string, token: string | null = null) =>
  app.instance.server.app.inject({
    url: new URL(url).pathname,
    headers: token === null ? {} : { 'private-token': token },
  });

test('the picture of a user is set, fetched to the byte, replaced and removed', async () => {
  const { user, token } = await app.make.user();
  const set = expectStatus<Shown>(await app.put(`/users/${user.id}`, picture('my photo.png')), 200);
  assert.match(set.avatar_url!, new RegExp(`/uploads/-/system/user/avatar/${user.id}/my_photo\\.png$`));
  const response = await fetchUrl(set.avatar_url!);
  assert.equal(response.statusCode, 200);
  assert.deepEqual(response.rawPayload, PNG);
  assert.equal(response.headers['content-type'], 'image/png');
  assert.equal(response.headers['x-content-type-options'], 'nosniff');
  const other = expectStatus<Shown>(await app.put('/user/avatar', { token, ...picture('other.png') }), 200);
  assert.match(other.avatar_url!, /other\.png$/);
  assert.equal((await fetchUrl(set.avatar_url!)).statusCode, 404);
  const removed = expectStatus<Shown>(await app.put(`/users/${user.id}`, { json: { avatar: '' } }), 200);
  assert.equal(removed.avatar_url, null);
  assert.equal((await fetchUrl(other.avatar_url!)).statusCode, 404);
});

test('a user is created with a picture', async () => {
  const fields = { username: 'pictured', name: 'P', email: 'p@example.org', password: 'correct horse' };
  const made = expectStatus<Shown>(
    await app.post('/users', multipart(fields, { field: 'avatar', name: 'a.png', bytes: PNG })),
    201,
  );
  assert.deepEqual((await fetchUrl(made.avatar_url!)).rawPayload, PNG);
});

test('pictures of groups and projects are seen by whoever sees their owner', async () => {
  const stranger = await app.make.user();
  const hidden = await app.make.project();
  const open = await app.make.project({ visibility: 'public' });
  const group = await app.make.group({ visibility: 'public' });
  const secret = await app.make.group();
  for (const [path, visible] of [
    [`/projects/${hidden.id}`, false],
    [`/projects/${open.id}`, true],
    [`/groups/${group.id}`, true],
    [`/groups/${secret.id}`, false],
  ] as const) {
    const set = expectStatus<Shown>(await app.put(path, picture()), 200);
    assert.deepEqual((await fetchUrl(set.avatar_url!, ROOT_TOKEN)).rawPayload, PNG);
    assert.equal((await fetchUrl(set.avatar_url!)).statusCode, visible ? 200 : 404, path);
    assert.equal((await fetchUrl(set.avatar_url!, stranger.token)).statusCode, visible ? 200 : 404, path);
    const download = await app.get(`${path}/avatar`);
    assert.deepEqual(download.rawPayload, PNG);
    const removed = expectStatus<Shown>(await app.put(path, { json: { avatar: '' } }), 200);
    assert.equal(removed.avatar_url, null);
    expectStatus(await app.get(`${path}/avatar`), 404);
  }
});

test('projects, groups and topics are created with a picture', async () => {
  const file = { field: 'avatar', name: 'a.png', bytes: PNG };
  for (const [path, fields] of [
    ['/projects', { name: 'pictured-project' }],
    ['/groups', { name: 'pictured', path: 'pictured-group' }],
    ['/topics', { name: 'pictured', title: 'Pictured' }],
  ] as const) {
    const made = expectStatus<Shown>(await app.post(path, multipart(fields, file)), 201);
    assert.deepEqual((await fetchUrl(made.avatar_url!, ROOT_TOKEN)).rawPayload, PNG, path);
    const removed = expectStatus<Shown>(await app.put(`${path}/${made.id}`, { json: { avatar: '' } }), 200);
    assert.equal(removed.avatar_url, null);
  }
});

test('what is no picture, or too big, is refused', async () => {
  const { token } = await app.make.user();
  const refusal = async (name: string, bytes: Buffer) =>
    expectStatus(await app.put('/user/avatar', { token, ...picture(name, bytes) }), 400).message;
  assert.match(String(await refusal('x.png', Buffer.from('<svg onload="alert(1)"/>'))), /^avatar file format is not/);
  assert.match(String(await refusal('x.png', Buffer.from('<html>'))), /^avatar file format is not supported/);
  assert.match(String(await refusal('x.png', Buffer.alloc(0))), /^avatar file format is not supported/);
  const big = Buffer.concat([PNG, Buffer.alloc(200 * 1024)]);
  assert.equal(await refusal('x.png', big), 'avatar is too big (should be at most 200 KiB)');
  const text = await app.put('/user/avatar', { token, json: { avatar: 'https://example.org/x.png' } });
  assert.equal(expectStatus(text, 400).message, 'avatar is invalid');
  const forged = await app.put('/user/avatar', { token, json: { avatar: { path: '/etc/passwd', size: 1 } } });
  expectStatus(forged, 400);
});

test('names of pictures say what the bytes are and hold nothing that means something', () => {
  const bytes = PNG.subarray(0, 16);
  assert.equal(pictureName('me.PNG', bytes), 'me.png');
  assert.equal(pictureName('evil.html', bytes), 'evil.html.png');
  assert.equal(pictureName('../../etc/pass"wd\r\n.png', bytes), 'pass_wd__.png');
  assert.equal(pictureName('C:\\pictures\\me.png', bytes), 'me.png');
  assert.equal(pictureName('.png', bytes), 'png.png');
  assert.equal(pictureName('', bytes), 'avatar.png');
  assert.equal(pictureName('x.jpeg', Buffer.from([0xff, 0xd8, 0xff, 0xe0])), 'x.jpeg');
  assert.ok(pictureName(`${'x'.repeat(300)}.png`, bytes)!.length <= 104);
  assert.equal(contentTypeOf('x.jpeg'), 'image/jpeg');
});

test('GET /avatar finds a picture by public address only', async () => {
  const { user } = await app.make.user({ columns: { public_email: 'shown@example.org' } });
  const set = expectStatus<Shown>(await app.put(`/users/${user.id}`, picture()), 200);
  const find = async (email: string) =>
    expectStatus<Shown>(await app.get('/avatar', { token: null, query: { email } }), 200).avatar_url;
  assert.equal(await find('SHOWN@example.org'), set.avatar_url);
  assert.equal(await find(user.email), null);
});
