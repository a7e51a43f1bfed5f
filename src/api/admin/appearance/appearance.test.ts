import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { buildTestApp, expectStatus, type TestApp, TestClock } from '../../../../test/support/app.ts';
import { multipart } from '../../../../test/support/multipart.ts';

type Json = Record<string, unknown>;
/** A picture of one pixel. */
const PNG = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
);
const PATH = '/application/appearance';
const clock = new TestClock(new Date());
let app: TestApp;
before(async () => {
  app = await buildTestApp({ clock });
});
after(() => app.close());

const get = async () => expectStatus<Json>(await app.get(PATH), 200);
const put = async (json: Json, status = 200) => expectStatus<Json>(await app.put(PATH, { json }), status);
const picture = (field: string, name = 'my logo.png', bytes = PNG) => multipart({}, { field, name, bytes });

test('the look of the server has defaults and is changed bit by bit', async () => {
  const defaults = await get();
  assert.deepEqual(defaults, {
    title: '',
    description: '',
    pwa_name: '',
    pwa_short_name: '',
    pwa_description: '',
    member_guidelines: '',
    new_project_guidelines: '',
    profile_image_guidelines: '',
    header_message: '',
    footer_message: '',
    message_background_color: '#e75e40',
    message_font_color: '#ffffff',
    email_header_and_footer_enabled: false,
    logo: null,
    header_logo: null,
    pwa_icon: null,
    favicon: null,
  });
  const first = { title: 'Our forge', message_font_color: '#abc', email_header_and_footer_enabled: true };
  assert.deepEqual(await put(first), { ...defaults, ...first });
  assert.deepEqual(await put({ header_message: 'Hello' }), { ...defaults, ...first, header_message: 'Hello' });
  await put({ title: '' });
  assert.equal((await get()).title, '');
});

test('pictures are set, served to everyone, and removed', async () => {
  const set = expectStatus<Json>(await app.put(PATH, picture('logo')), 200);
  assert.equal(set.logo, '/uploads/-/system/appearance/logo/1/my_logo.png');
  const fetch = () => app.instance.server.app.inject(String(set.logo));
  const shown = await fetch();
  assert.equal(shown.statusCode, 200);
  assert.deepEqual(shown.rawPayload, PNG);
  assert.equal(shown.headers['content-type'], 'image/png');
  const other = await app.instance.server.app.inject('/uploads/-/system/appearance/favicon/1/my_logo.png');
  assert.equal(other.statusCode, 404);
  assert.equal((await put({ logo: '' })).logo, null);
  assert.equal((await fetch()).statusCode, 404);
});

test('a picture of every kind is taken with texts in one form, and the usual colours come back for an empty text', async () => {
  const before = await put({ message_background_color: '#123456' });
  assert.equal(before.message_background_color, '#123456');
  assert.equal((await put({ message_background_color: '' })).message_background_color, '#e75e40');
  for (const field of ['logo', 'header_logo', 'pwa_icon', 'favicon']) {
    const form = multipart({ title: `With ${field}` }, { field, name: 'a.png', bytes: PNG });
    const shown = expectStatus<Json>(await app.put(`${PATH}?data=image/png`, form), 200);
    assert.deepEqual([shown[field], shown.title], [`/uploads/-/system/appearance/${field}/1/a.png`, `With ${field}`]);
    assert.equal((await app.instance.server.app.inject(String(shown[field]))).statusCode, 200);
    await put({ [field]: '' });
  }
});

test('bad looks are refused', async () => {
  const message = async (json: Json) => (await put(json, 400)).message as string;
  assert.match(await message({ message_background_color: 'red' }), /message_background_color/);
  assert.match(await message({ logo: 'text' }), /logo is invalid/);
  const noPicture = await app.put(PATH, picture('favicon', 'a.png', Buffer.from('<svg/>')));
  assert.match(String(expectStatus<Json>(noPicture, 400).message), /favicon file format is not supported/);
  const jpeg = await app.put(PATH, picture('favicon', 'a.jpg', Buffer.from('\xff\xd8\xff\xe0', 'latin1')));
  assert.match(String(expectStatus<Json>(jpeg, 400).message), /favicon file format is not supported.*png, ico/);
  const big = await app.put(PATH, picture('logo', 'a.png', Buffer.concat([PNG, Buffer.alloc(1_024 * 1_024)])));
  assert.match(String(expectStatus<Json>(big, 400).message), /logo is too big \(should be at most 1024 KiB\)/);
});

test('only administrators see and change the look', async () => {
  const { token } = await app.make.user();
  for (const [who, status] of [
    [token, 403],
    [null, 401],
  ] as const) {
    expectStatus(await app.get(PATH, { token: who }), status);
    expectStatus(await app.put(PATH, { token: who, json: { title: 'x' } }), status);
  }
});

test('a picture of the look outlives an upload of the same bytes', async () => {
  const set = expectStatus<Json>(await app.put(PATH, picture('header_logo')), 200);
  const { id } = await app.make.project();
  const made = expectStatus<Json>(await app.post(`/projects/${id}/uploads`, picture('file')), 201);
  expectStatus(await app.delete(`/projects/${id}/uploads/${made.id}`), 204);
  clock.advance(2 * 3_600_000);
  await app.drain();
  assert.equal((await app.instance.server.app.inject(String(set.header_logo))).statusCode, 200);
});
