import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { after, before, describe, test } from 'node:test';
import { buildTestApp, expectStatus, type TestApp } from '../../../../test/support/app.ts';
import { multipart } from '../../../../test/support/multipart.ts';
import { zipOf } from '../../../../test/support/zip.ts';

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

const JSON_TYPE = 'application/vnd.pypi.simple.v1+json';
const digest = (algorithm: string, text: string | Buffer) => createHash(algorithm).update(text).digest('hex');
const at = (rest = '', project = id) => `/projects/${project}/packages/pypi${rest}`;

interface Dist {
  name?: string;
  version?: string;
  file?: string;
  content?: string | Buffer;
  fields?: Record<string, string>;
}

function upload(
  { name = 'lib', version = '1.0.0', file, content = 'content', fields = {} }: Dist,
  token: string | null = staff.developer.token,
  project = id,
) {
  const { body, headers } = multipart(
    { ':action': 'file_upload', protocol_version: '1', name, version, ...fields },
    { field: 'content', name: file ?? `${name}-${version}.tar.gz`, bytes: Buffer.from(content) },
  );
  return app.post(at('', project), { token, body, headers });
}

const page = async (rest: string, accept = 'text/html', token: string | null = staff.reporter.token) =>
  app.get(at(rest), { token, headers: { accept } });
const rowsOf = (name: string) =>
  app.deps.db
    .selectFrom('packages')
    .leftJoin('package_files', 'package_files.package_id', 'packages.id')
    .select(['packages.id', 'packages.version', 'packages.metadata', 'file_name'])
    .where('packages.name_key', '=', name)
    .where('packages.project_id', '=', id)
    .orderBy('package_files.id')
    .execute();

describe('a Python package', () => {
  test('is published by those who may', async () => {
    for (const who of ['developer', 'maintainer', 'owner'] as const) {
      const response = await upload({ name: 'roles', file: `roles-1.0.0-${who}.whl` }, staff[who].token);
      assert.deepEqual(expectStatus(response, 201), { message: '201 Created' });
    }
    for (const who of ['guest', 'planner', 'reporter'] as const) {
      expectStatus(await upload({ name: 'roles' }, staff[who].token), 403);
    }
    expectStatus(await upload({ name: 'roles' }, staff.stranger.token), 404);
    const anonymous = await upload({ name: 'roles' }, null);
    expectStatus(anonymous, 401);
    assert.match(String(anonymous.headers['www-authenticate']), /^Basic realm=/);
  });

  test('is read by those who may, on every route', async () => {
    expectStatus(await upload({ name: 'read', content: 'read it' }), 201);
    const paths = [
      `/simple`,
      `/simple/read`,
      `/simple/read/`,
      `/files/${digest('sha256', 'read it')}/read-1.0.0.tar.gz`,
    ];
    for (const path of paths) {
      for (const who of ['reporter', 'developer', 'maintainer', 'owner'] as const) {
        assert.equal((await page(path, '*/*', staff[who].token)).statusCode, 200, `${path} ${who}`);
      }
      assert.equal((await app.get(at(path))).statusCode, 200, 'an administrator');
      for (const who of ['guest', 'planner'] as const) expectStatus(await page(path, '*/*', staff[who].token), 403);
      expectStatus(await page(path, '*/*', staff.stranger.token), 404);
      const anonymous = await page(path, '*/*', null);
      expectStatus(anonymous, 401);
      assert.match(String(anonymous.headers['www-authenticate']), /^Basic realm=/, path);
    }
    expectStatus(await app.get('/projects/987654/packages/pypi/simple/read', { token: null }), 401);
    const file = await page(paths[3]!, '*/*');
    assert.equal(file.body, 'read it');
    assert.match(String(file.headers['content-disposition']), /^attachment; filename="read-1.0.0.tar.gz"/);
    assert.equal((await app.head(at(paths[1]!))).statusCode, 200);
  });

  test('of a public project is read by everybody', async () => {
    const open = await app.make.project({ visibility: 'public' });
    expectStatus(await upload({ name: 'open', content: 'o' }, undefined, open.id), 403);
    const { token } = await app.make.user({ admin: true });
    expectStatus(await upload({ name: 'open', content: 'o' }, token, open.id), 201);
    for (const rest of ['/simple', '/simple/open/', `/files/${digest('sha256', 'o')}/open-1.0.0.tar.gz`]) {
      assert.equal((await app.get(at(rest, open.id), { token: null })).statusCode, 200, rest);
    }
    expectStatus(await app.get(at('/simple/none/', open.id), { token: null }), 404);
  });

  test('is one package however its name and version are spelled', async () => {
    expectStatus(await upload({ name: 'My.Own__lib', version: '1.0-Alpha.1', file: 'a.whl' }), 201);
    expectStatus(await upload({ name: 'my-own-lib', version: '1.0a1', file: 'b.whl' }), 201);
    const rows = await rowsOf('my-own-lib');
    assert.equal(new Set(rows.map((row) => row.id)).size, 1);
    for (const name of ['my-own-lib', 'MY_OWN.LIB', 'my...own-_lib']) {
      const { body } = await page(`/simple/${name}/`);
      assert.match(body, /a\.whl<[\s\S]*b\.whl</, name);
      assert.match(body, /<title>Links for My\.Own__lib</);
    }
    assert.match((await page('/simple')).body, /\/simple\/my-own-lib\/">My\.Own__lib</);
  });

  test('is refused without what it takes, and leaves nothing behind', async () => {
    for (const [dist, message] of [
      [{ name: '-bad' }, /Name is invalid/],
      [{ name: 'a/b' }, /Name is invalid/],
      [{ name: 'x'.repeat(256) }, /Name is invalid/],
      [{ version: 'one' }, /Version is invalid/],
      [{ version: '1.0+' }, /Version is invalid/],
      [{ version: `1${'.0'.repeat(200)}` }, /Version is invalid/],
      [{ file: 'a b.whl' }, /File name is invalid/],
      [{ file: '..' }, /File name is invalid/],
      [{ file: 'x'.repeat(256) }, /File name is invalid/],
      [{ fields: { requires_python: '>'.repeat(256) } }, /Requires python is too long/],
      [{ fields: { sha256_digest: 'abc' } }, /sha256_digest is invalid/],
      [{ fields: { sha256_digest: digest('sha256', 'other') } }, /sha256_digest does not match/],
      [{ fields: { md5_digest: 'x'.repeat(32) } }, /md5_digest is invalid/],
      [{ fields: { md5_digest: digest('md5', 'other') } }, /md5_digest does not match/],
    ] as const) {
      const response = await upload({ name: 'refused', file: 'refused.whl', ...dist });
      assert.match(expectStatus<{ message: string }>(response, 400).message, message);
    }
    const only = (fields: Record<string, string>, file?: Parameters<typeof multipart>[1]) =>
      app.post(at(), { token: staff.developer.token, ...multipart(fields, file) });
    const file = { field: 'content', name: 'f.whl', bytes: Buffer.from('x') };
    for (const [response, message] of [
      [await only({ version: '1.0' }, file), 'name is missing'],
      [await only({ name: 'refused' }, file), 'version is missing'],
      [await only({ name: 'refused', version: '1.0' }), 'content is missing'],
      [await app.post(at(), { token: staff.developer.token, json: {} }), 'content is missing'],
    ] as const) {
      assert.equal(expectStatus<{ error: string }>(response, 400).error, message);
    }
    assert.deepEqual(await rowsOf('refused'), []);
  });

  test('keeps a file that it has', async () => {
    const good = { sha256_digest: digest('sha256', 'first').toUpperCase(), md5_digest: digest('md5', 'first') };
    expectStatus(await upload({ name: 'twice', content: 'first', fields: good }), 201);
    const again = await upload({ name: 'twice', content: 'second' });
    const { message } = expectStatus<{ message: string }>(again, 400);
    assert.equal(message, '400 Bad request - Validation failed: File name has already been taken');
    assert.equal((await rowsOf('twice')).length, 1);
    const got = await page(`/files/${digest('sha256', 'first')}/twice-1.0.0.tar.gz`);
    assert.equal(got.body, 'first');
    expectStatus(await page(`/files/${digest('sha256', 'second')}/twice-1.0.0.tar.gz`), 404);
    expectStatus(await page(`/files/${digest('sha256', 'first')}/other.tar.gz`), 404);
    expectStatus(await upload({ name: 'twice', version: '1.0.1', content: 'second' }), 201);
  });

  test('of many uploads of one file at once takes one', async () => {
    const answers = await Promise.all([1, 2, 3, 4, 5].map((n) => upload({ name: 'race', content: `${n}` })));
    assert.deepEqual(answers.map(({ statusCode }) => statusCode).sort(), [201, 400, 400, 400, 400]);
    assert.equal((await rowsOf('race')).length, 1);
  });

  test('takes hundreds of fields, the long ones cut', async () => {
    const lines = Array.from({ length: 400 }, (_, n) => [`classifiers`, `Topic :: ${n}`] as const);
    const boundary = 'many';
    const part = (name: string, value: string) =>
      `--${boundary}\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`;
    const body = [
      ...lines.map(([name, value]) => part(name, value)),
      part('name', 'many'),
      part('version', '2.0'),
      part('summary', 'é'.repeat(300)),
      part('description', 'd'.repeat(200_000)),
      part('keywords', 'k,'.repeat(2_000)),
      part('unknown', 'u'.repeat(100_000)),
      part('requires_python', '>=3.8, <4'),
      `--${boundary}\r\nContent-Disposition: form-data; name="content"; filename="many-2.0.tar.gz"\r\n\r\nx\r\n--${boundary}--\r\n`,
    ].join('');
    const headers = { 'content-type': `multipart/form-data; boundary=${boundary}` };
    expectStatus(await app.post(at(), { token: staff.developer.token, body, headers }), 201);
    const [row] = await rowsOf('many');
    const about = JSON.parse(row!.metadata as string) as Record<string, string>;
    assert.equal(about.summary, 'é'.repeat(255));
    assert.equal(about.description?.length, 4000);
    assert.equal(about.keywords?.length, 1024);
    assert.match((await page('/simple/many/')).body, /data-requires-python="&gt;=3\.8, &lt;4"/);
    const endless = [...Array.from({ length: 5_100 }, () => part('classifiers', 'x')), `--${boundary}--\r\n`].join('');
    const refused = await app.post(at(), { token: staff.developer.token, body: endless, headers });
    assert.match(expectStatus<{ message: string }>(refused, 400).message, /too many parts/);
  });
});

describe('the pages of an index', () => {
  test('are of the type that the client likes best', async () => {
    expectStatus(
      await upload({ name: 'Typed_Lib', version: '0.1', content: 'typed', fields: { requires_python: '>3' } }),
      201,
    );
    for (const [accept, type] of [
      ['*/*', 'text/html; charset=utf-8'],
      [`${JSON_TYPE}, application/vnd.pypi.simple.v1+html; q=0.1, text/html; q=0.01`, JSON_TYPE],
      ['application/vnd.pypi.simple.v1+html', 'application/vnd.pypi.simple.v1+html; charset=utf-8'],
      ['application/vnd.pypi.simple.latest+json', JSON_TYPE],
      ['text/html', 'text/html; charset=utf-8'],
    ] as const) {
      for (const rest of ['/simple/', '/simple/typed-lib/']) {
        const got = await page(rest, accept);
        assert.equal(got.headers['content-type'], type, `${rest} ${accept}`);
        assert.match(String(got.headers.vary), /\bAccept\b/);
      }
    }
    for (const rest of ['/simple', '/simple/typed-lib']) expectStatus(await page(rest, 'image/png'), 406);
    const index = (await page('/simple', JSON_TYPE)).json<{ meta: object; projects: { name: string }[] }>();
    assert.deepEqual(index.meta, { 'api-version': '1.1' });
    assert.ok(index.projects.some(({ name }) => name === 'Typed_Lib'));
    const sha256 = digest('sha256', 'typed');
    const body = (await page('/simple/Typed_Lib', JSON_TYPE)).json<{ files: Record<string, unknown>[] }>();
    const { 'upload-time': time, ...file } = body.files[0]!;
    assert.ok(!Number.isNaN(Date.parse(String(time))));
    const filename = 'Typed_Lib-0.1.tar.gz';
    const base = app.deps.externalUrl();
    assert.deepEqual(
      { ...body, files: [file] },
      {
        meta: { 'api-version': '1.1' },
        name: 'typed-lib',
        versions: ['0.1'],
        files: [
          {
            filename,
            url: `${base}/api/v4${at(`/files/${sha256}/${filename}`)}`,
            hashes: { sha256 },
            'requires-python': '>3',
            size: 5,
            yanked: false,
            'core-metadata': false,
          },
        ],
      },
    );
  });

  test('are asked for again by their tag, and follow every change', async () => {
    const seen = new Set<string>();
    const tagged = async (path: string) => {
      const { headers, statusCode } = await page(path);
      assert.equal(statusCode, 200);
      const again = await app.get(at(path), { headers: { 'if-none-match': String(headers.etag) } });
      assert.equal(again.statusCode, 304);
      assert.equal(again.body, '');
      assert.ok(!seen.has(`${path} ${headers.etag}`), `${path} is another now`);
      seen.add(`${path} ${headers.etag}`);
    };
    const index = await page('/simple');
    expectStatus(await upload({ name: 'changes', file: 'a.whl' }), 201);
    assert.notEqual((await page('/simple')).headers.etag, index.headers.etag);
    await tagged('/simple/changes');
    expectStatus(await upload({ name: 'changes', file: 'b.whl' }), 201);
    await tagged('/simple/changes');
    expectStatus(await upload({ name: 'changes', version: '2.0' }), 201);
    await tagged('/simple/changes');
    assert.match((await page('/simple/changes')).body, /a\.whl[\s\S]*b\.whl[\s\S]*changes-2\.0/);
  });

  test('show nothing as markup', async () => {
    const project = await app.make.project({ visibility: 'public' });
    await app.deps.db.updateTable('projects').set({ name: 'A <b>&"x' }).where('id', '=', project.id).execute();
    const { token } = await app.make.user({ admin: true });
    const fields = { requires_python: '"><script>' };
    expectStatus(await upload({ name: 'markup', fields }, token, project.id), 201);
    for (const rest of ['/simple', '/simple/markup']) {
      const { body } = await app.get(at(rest, project.id), { token: null });
      assert.ok(!/<script|<b>/.test(body), body);
    }
  });

  test('leave out what cannot be installed', async () => {
    expectStatus(await upload({ name: 'gone' }), 201);
    await app.deps.db.updateTable('packages').set({ status: 'error' }).where('name', '=', 'gone').execute();
    expectStatus(await page('/simple/gone'), 404);
    assert.ok(!(await page('/simple')).body.includes('/gone/'));
    expectStatus(await page('/simple/never-there'), 404);
    const empty = await app.make.project();
    assert.equal((await app.get(at('/simple', empty.id))).statusCode, 200);
  });

  test('has the metadata of its wheels beside them', async () => {
    const metadata = 'Metadata-Version: 2.1\nName: meta-lib\nVersion: 1.0.0\nRequires-Dist: other\n';
    const file = 'meta_lib-1.0.0-py3-none-any.whl';
    const content = await zipOf({ 'meta_lib.py': 'x', 'meta_lib-1.0.0.dist-info/METADATA': metadata });
    const sum = digest('sha256', metadata);
    expectStatus(await upload({ name: 'meta-lib', file, content }), 201);
    const html = (await page('/simple/meta-lib')).body;
    assert.ok(
      html.includes(` data-core-metadata="sha256=${sum}" data-dist-info-metadata="sha256=${sum}">${file}<`),
      html,
    );
    const json = (await page('/simple/meta-lib', JSON_TYPE)).json<{ files: Record<string, unknown>[] }>();
    assert.deepEqual(json.files[0]!['core-metadata'], { sha256: sum });
    assert.deepEqual(json.files[0]!['dist-info-metadata'], { sha256: sum });
    const url = `/files/${digest('sha256', content)}/${file}.metadata`;
    const { token } = staff.reporter;
    const response = await app.get(at(url), { token });
    assert.equal(response.body, metadata);
    assert.equal(
      (await app.get(at(url), { token, headers: { 'if-none-match': String(response.headers.etag) } })).statusCode,
      304,
    );
    assert.equal((await rowsOf('meta-lib')).length, 1, 'they are no file of their own');
    for (const [who, status] of [
      [null, 401],
      [staff.stranger.token, 404],
      [staff.guest.token, 403],
    ] as const) {
      expectStatus(await app.get(at(url), { token: who }), status);
    }
  });

  test('is taken without metadata that cannot be read', async () => {
    const { token } = staff.reporter;
    for (const [what, content] of [
      ['nozip', Buffer.from('no archive')],
      ['none', await zipOf({ 'a.py': 'x' })],
      ['other', await zipOf({ 'elsewhere-1.0.0.dist-info/METADATA': 'x' })],
      ['large', await zipOf({ 'large-1.0.0.dist-info/METADATA': 'x'.repeat(1024 * 1024 + 1) })],
      ['folder', await zipOf({ 'folder-1.0.0.dist-info/METADATA/': '' })],
    ] as const) {
      const file = `${what}-1.0.0-py3-none-any.whl`;
      expectStatus(await upload({ name: what, file, content }), 201);
      assert.ok(!(await page(`/simple/${what}`)).body.includes('core-metadata'), what);
      const json = (await page(`/simple/${what}`, JSON_TYPE)).json<{ files: Record<string, unknown>[] }>();
      assert.equal(json.files[0]!['core-metadata'], false);
      expectStatus(await app.get(at(`/files/${digest('sha256', content)}/${file}.metadata`), { token }), 404);
    }
    const sdist = await zipOf({ 'sdist-1.0.0.dist-info/METADATA': 'x' });
    expectStatus(await upload({ name: 'sdist', file: 'sdist-1.0.0.zip', content: sdist }), 201);
    expectStatus(await app.get(at(`/files/${digest('sha256', sdist)}/sdist-1.0.0.zip.metadata`), { token }), 404);
  });
});
