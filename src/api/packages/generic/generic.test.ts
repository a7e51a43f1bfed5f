import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { after, before, describe, test } from 'node:test';
import { buildTestApp, expectStatus, type TestApp } from '../../../../test/support/app.ts';
import { genericFile } from './generic.names.ts';

let app: TestApp;
let id: number;
let staff: Awaited<ReturnType<TestApp['make']['members']>>;
before(async () => {
  app = await buildTestApp();
  const project = await app.make.project({ visibility: 'private' });
  id = project.id;
  staff = await app.make.members(project);
});
after(() => app.close());

const at = (path: string) => `/projects/${id}/packages/generic/${path}`;
const put = (path: string, body: string | Buffer, token: string | null = staff.developer.token, headers = {}) =>
  app.put(at(path), { token, body, headers: { 'content-type': 'application/octet-stream', ...headers } });
const sha256 = (text: string) => createHash('sha256').update(text).digest('hex');

describe('a file of a generic package', () => {
  test('is published and downloaded by those who may', async () => {
    const made = await put('app/1.0.0/app.txt', 'the app');
    assert.deepEqual(expectStatus(made, 201), { message: '201 Created' });
    const got = await app.get(at('app/1.0.0/app.txt'), { token: staff.reporter.token });
    assert.equal(got.statusCode, 200);
    assert.equal(got.body, 'the app');
    assert.equal(got.headers['x-checksum-sha256'], sha256('the app'));
    assert.match(String(got.headers['content-disposition']), /^attachment; filename="app\.txt"/);
    for (const [who, status] of [
      [staff.guest, 403],
      [staff.stranger, 404],
    ] as const) {
      expectStatus(await app.get(at('app/1.0.0/app.txt'), { token: who.token }), status);
    }
    const anonymous = await app.get(at('app/1.0.0/app.txt'), { token: null });
    assert.equal(anonymous.statusCode, 401);
    assert.match(String(anonymous.headers['www-authenticate']), /^Basic realm=/);
    for (const who of [staff.guest, staff.reporter]) expectStatus(await put('app/1.0.0/x', 'x', who.token), 403);
    expectStatus(await put('app/1.0.0/x', 'x', staff.stranger.token), 404);
    expectStatus(await put('app/1.0.0/x', 'x', null), 401);
  });

  test('of the same name again is given in its last form', async () => {
    for (const text of ['first', 'second']) expectStatus(await put('again/1.0/f', text), 201);
    assert.equal((await app.get(at('again/1.0/f'))).body, 'second');
    const rows = await app.deps.db.selectFrom('packages').select('id').where('name', '=', 'again').execute();
    assert.equal(rows.length, 1);
  });

  test('is answered as an object where that is asked for', async () => {
    const file = expectStatus<Record<string, unknown>>(
      await put('obj/1.0/dir/f.txt?select=package_file&status=hidden', 'x'),
      200,
    );
    assert.equal(file.file_name, 'dir%2Ff.txt');
    assert.equal(file.file_sha256, sha256('x'));
    const { url } = file.file as { url: string };
    assert.ok(url.endsWith(`/api/v4${at('obj/1.0/dir/f.txt')}`));
    assert.equal((await app.get(at('obj/1.0/dir/f.txt'))).body, 'x');
  });

  test('is refused by names that are none', async () => {
    for (const [path, error] of [
      ['a b/1.0/f', 'package_name is invalid'],
      ['p/1..0/f', 'package_version is invalid'],
      ['p/1.0/..%2f..%2fx', 'path is invalid'],
      ['p/1.0/~f', 'file_name is invalid'],
      ['p/1.0/f@', 'file_name is invalid'],
      ['p/1.0/a/..%2ff', 'path is invalid'],
      ['p/1.0/', 'file_name is invalid'],
      ['p/..%2f..%2fx/f', 'package_version is invalid'],
      ['p/1.0/a%5c..%5cb', 'file_name is invalid'],
      ['p/1.0/a%00b', null],
      ['p/1.0/a%0d%0ab', 'file_name is invalid'],
      ['p%2fq/1.0/f', 'package_name is invalid'],
      [`${'p'.repeat(256)}/1.0/f`, 'package_name is invalid'],
      [`p/1.0/${'f'.repeat(256)}`, 'file_name is too long (maximum is 255 characters)'],
      ['p/1.0/f?status=odd', 'status does not have a valid value'],
      ['p/1.0/f?select=odd', 'select does not have a valid value'],
    ] as const) {
      const response = await put(path.replace(' ', '%20'), 'x');
      assert.ok([400, 404].includes(response.statusCode), `${path}: ${response.statusCode}`);
      if (error !== null) assert.equal(response.json<{ error?: string }>().error, error, path);
    }
  });

  test('has no dots in the place of a name', () => {
    for (const [name, rest] of [
      ['..', '1.0/f'],
      ['.', '1.0/f'],
      ['p', '../f'],
      ['p', './f'],
      ['p', '../../x/f'],
      ['p', '1.0/..'],
      ['p', '1.0/.'],
      ['p', '1.0/a/../f'],
      ['p', '1.0/a\\..\\f'],
      ['p', '1.0/a\0f'],
      ['p', '1.0'],
    ] as const) {
      assert.throws(() => genericFile(name, rest), { status: 400 }, `${name}/${rest}`);
    }
  });

  test('is published by all kinds of tokens in all places', async () => {
    const token = expectStatus<{ token: string; username: string }>(
      await app.post(`/projects/${id}/deploy_tokens`, {
        json: { name: 'deploy', scopes: ['write_package_registry'] },
      }),
      201,
    );
    const reading = expectStatus<{ token: string; username: string }>(
      await app.post(`/projects/${id}/deploy_tokens`, { json: { name: 'read', scopes: ['read_package_registry'] } }),
      201,
    );
    const basic = (name: string, secret: string) => `Basic ${Buffer.from(`${name}:${secret}`).toString('base64')}`;
    const good = [
      { 'deploy-token': token.token },
      { authorization: `Bearer ${token.token}` },
      { authorization: basic(token.username, token.token) },
      { authorization: basic('anybody', staff.developer.token) },
      { authorization: `Bearer ${staff.developer.token}` },
    ];
    for (const [n, headers] of good.entries()) expectStatus(await put(`tokens/1.0/f${n}`, 'x', null, headers), 201);
    expectStatus(await put('tokens/1.0/f', 'x', null, { 'deploy-token': reading.token }), 403);
    expectStatus(await put('tokens/1.0/f', 'x', null, { authorization: basic('other', token.token) }), 401);
    const got = await app.get(at('tokens/1.0/f0'), { token: null, headers: { 'deploy-token': reading.token } });
    assert.equal(got.body, 'x');
  });
});
