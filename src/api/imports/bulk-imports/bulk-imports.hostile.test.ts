import assert from 'node:assert/strict';
import type { RequestListener } from 'node:http';
import { after, before, describe, test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { buildTestApp, expectStatus, type TestApp } from '../../../../test/support/app.ts';
import { closedAddress, type FileServer, serveFiles } from '../../../../test/support/file-server.ts';
import { askImport } from '../../../../test/support/imports.ts';
import { changeSettings, resetSettings } from '../../../../test/support/settings.ts';

type Json = Record<string, unknown>;
type Answers = Record<string, string | RequestListener>;
const TOKEN = 'glpat-sesame-of-elsewhere';
let app: TestApp;
before(async () => {
  app = await buildTestApp({ settings: { STITHY_ALLOW_LOCAL_NETWORK: 'true' } });
  await changeSettings(app, { bulk_import_enabled: true });
});
after(() => app.close());

/** Runs work with changed settings. */
async function under(settings: Json, work: () => Promise<void>) {
  await changeSettings(app, settings);
  try {
    await work();
  } finally {
    await resetSettings(app);
    await changeSettings(app, { bulk_import_enabled: true });
  }
}

const FAR = '/api/v4/groups/far';
const page = (path: string) => `${path}${path.includes('?') ? '&' : '?'}per_page=100&page=1`;
const lines = (...objects: unknown[]): RequestListener => {
  const bytes = gzipSync(objects.map((object) => `${JSON.stringify(object)}\n`).join(''));
  return (_, response) => response.end(bytes);
};
const relation = (name: string, more: Json = {}) => ({ relation: name, status: 1, batched: false, ...more });
const redirect =
  (to: string): RequestListener =>
  (_, response) =>
    response.writeHead(307, { location: to }).end();
const endless: RequestListener = (_, response) => {
  response.on('error', () => {});
  const more = () => {
    while (!response.destroyed && response.write(Buffer.alloc(65_536, ' ')));
  };
  response.on('drain', more);
  more();
};

/** A server with one group, with overridden responses. */
const elsewhere = (answers: Answers = {}): Promise<FileServer> =>
  serveFiles({
    '/api/v4/version': '{"version":"17.0.0"}',
    '/api/v4/personal_access_tokens/self': '{"scopes":["api"]}',
    [FAR]: JSON.stringify({ name: 'Far', visibility: 'private', wiki_access_level: 'disabled' }),
    [page(`${FAR}/members`)]: '[]',
    [`${FAR}/export_relations?batched=true`]: '{}',
    [`${FAR}/export_relations/status`]: JSON.stringify([relation('labels')]),
    [`${FAR}/export_relations/download?relation=labels`]: lines(),
    [page(`${FAR}/subgroups`)]: '[]',
    [page(`${FAR}/projects?with_shared=false`)]: '[]',
    ...answers,
  });

let count = 0;
/** Starts an import of the group, by a new user. */
async function ask(url: string, { namespace = '', token }: { namespace?: string; token?: string } = {}) {
  count += 1;
  const entity = { source_full_path: 'far', destination_namespace: namespace, destination_slug: `near-${count}` };
  return askImport(app, url, entity, { access: TOKEN, ...(token === undefined ? {} : { token }) });
}
const entitiesOf = async ({ id }: Json): Promise<Json[]> =>
  expectStatus<Json[]>(await app.get(`/bulk_imports/${id}/entities`, { query: { per_page: 100 } }), 200);

/** Imports the group from a server with overridden responses. @returns its entities, and the requests */
async function bring(answers: Answers): Promise<{ entities: Json[]; asked: readonly string[] }> {
  const server = await elsewhere(answers);
  try {
    const made = expectStatus<Json>(await ask(server.url), 201);
    await app.drain();
    return { entities: await entitiesOf(made), asked: server.asked };
  } finally {
    await server.close();
  }
}
const reasons = ({ failures }: Json) => (failures as Json[]).map((failure) => String(failure.exception_message));
const pathsBelow = async (path: string): Promise<string[]> => {
  const rows = await app.deps.db
    .selectFrom('namespaces')
    .select('full_path')
    .where('full_path', 'like', `${path}/%`)
    .execute();
  return rows.map(({ full_path }) => full_path);
};

describe('the token goes to the server that was named alone', () => {
  test('for no redirect is followed, however late it comes', async () => {
    const other = await elsewhere();
    const server = await elsewhere({ '/api/v4/version': redirect(`${other.url}/api/v4/version`) });
    expectStatus(await ask(server.url), 422);
    await server.close();
    for (const path of [FAR, `${FAR}/export_relations/status`, `${FAR}/export_relations/download?relation=labels`]) {
      const { entities } = await bring({ [path]: redirect(`${other.url}${path}`) });
      assert.equal(entities[0]!.status, 'failed', path);
      assert.match(reasons(entities[0]!).join(), /answered with status 307/, path);
    }
    assert.deepEqual(other.asked, []);
    await other.close();
  });

  test('and stands neither in answers nor in logs, also where git says why it failed', async () => {
    const below = '/api/v4/projects/far%2Ftool';
    const { entities, asked } = await bring({
      [page(`${FAR}/projects?with_shared=false`)]: JSON.stringify([
        { path: 'tool', path_with_namespace: 'far/tool', name: 'Tool' },
      ]),
      [below]: JSON.stringify({ name: 'Tool', path: 'tool' }),
      [`${below}/export_relations?batched=true`]: '{}',
      [`${below}/export_relations/status`]: JSON.stringify([relation('labels')]),
      [`${below}/export_relations/download?relation=labels`]: lines(),
      [page(`${below}/members`)]: '[]',
    });
    assert.ok(asked.some((path) => path.startsWith('/far/tool.git/info/refs')));
    const project = expectStatus<Json>(await app.get(`/projects/${entities[1]!.project_id}`), 200);
    assert.equal(project.import_status, 'failed');
    const rows = await app.deps.db.selectFrom('bulk_import_failures').selectAll().execute();
    assert.ok(!JSON.stringify([entities, project, rows, app.logLines]).includes(TOKEN));
  });

  test('at an address that the server still connects to when it is asked', async () => {
    const server = await elsewhere();
    const made = expectStatus<Json>(await ask(server.url), 201);
    const asked = server.asked.length;
    await under({ allow_local_requests_from_web_hooks_and_services: false }, async () => {
      await app.drain();
      const [entity] = await entitiesOf(made);
      assert.equal(entity!.status, 'failed');
      assert.match(reasons(entity!).join(), /The URL is blocked: Requests to localhost are not allowed/);
      const localUrls = [server.url, await closedAddress(), 'http://[::ffff:127.0.0.1]:8080', 'http://0x7f.1:8080'];
      for (const url of localUrls) {
        const { message } = expectStatus<Json>(await ask(url), 422);
        assert.equal(message, 'The URL is blocked: Requests to localhost are not allowed', url);
      }
      assert.equal(server.asked.length, asked);
    });
    await server.close();
  });
});

describe('a server that is out to do harm', () => {
  test('ends nothing by answers without end', async () => {
    const server = await elsewhere({ '/api/v4/version': endless });
    expectStatus(await ask(server.url), 422);
    await server.close();
    await under({ bulk_import_max_download_file_size: 1 }, async () => {
      for (const path of [FAR, `${FAR}/export_relations/status`]) {
        const { entities } = await bring({ [path]: endless });
        assert.deepEqual(
          [entities[0]!.status, reasons(entities[0]!)],
          ['failed', ['The source server answered with status 413.']],
        );
      }
      const { entities } = await bring({ [`${FAR}/export_relations/download?relation=labels`]: endless });
      assert.match(reasons(entities[0]!).join(), /more than 1048576 bytes|not in gzip format/);
    });
  });

  test('has no more batches asked for than an export can have', async () => {
    const batch = (number: number) =>
      `${FAR}/export_relations/download?relation=labels&batched=true&batch_number=${number}`;
    const { entities, asked } = await bring({
      [`${FAR}/export_relations/status`]: JSON.stringify([
        relation('labels', { batched: true, batches_count: 2_000_000_000 }),
      ]),
      ...Object.fromEntries(Array.from({ length: 50 }, (_, at) => [batch(at + 1), lines({ title: `l${at}` })])),
    });
    assert.deepEqual(
      asked.filter((path) => path.includes('batch_number')),
      [],
    );
    assert.match(reasons(entities[0]!).join(), /more than \d+ batches/);
    assert.equal(entities[0]!.status, 'finished');
  });

  test('puts nothing where its names lead', async () => {
    const paths = ['../up', 'a/b', '..', '.', 'x.git', '-x', 'a\u202eb', 'a\u0000b', 'x'.repeat(300), 'good', 'GOOD'];
    const good = '/api/v4/groups/far%2Fgood';
    const { entities } = await bring({
      [page(`${FAR}/subgroups`)]: JSON.stringify(paths.map((path) => ({ path, full_path: `far/${path}` }))),
      ...Object.fromEntries(
        paths.map((path) => [
          `/api/v4/groups/${encodeURIComponent(`far/${path}`)}`,
          JSON.stringify({ name: 'Below', wiki_access_level: 'disabled', visibility: 'public', parent_id: 1 }),
        ]),
      ),
      [page(`${good}/members`)]: '[]',
      [`${good}/export_relations?batched=true`]: '{}',
      [`${good}/export_relations/status`]: JSON.stringify([relation('labels')]),
      [`${good}/export_relations/download?relation=labels`]: lines(),
      [page(`${good}/subgroups`)]: '[]',
      [page(`${good}/projects?with_shared=false`)]: '[]',
    });
    const { full_path } = expectStatus<Json>(await app.get(`/groups/${entities[0]!.namespace_id}`), 200);
    const shown = JSON.stringify(entities.map((each) => [each.source_full_path, each.status, reasons(each)]));
    assert.deepEqual(await pathsBelow(String(full_path)), [`${full_path}/good`], shown);
    const finished = entities.filter(({ status }) => status === 'finished');
    assert.deepEqual(
      finished.map(({ source_full_path }) => source_full_path),
      ['far', 'far/good'],
    );
  });

  test('gives nobody a name that shows itself as another', async () => {
    const people = [
      { id: 7, username: 'ro\u200bot\u202e', name: 'A\u202ennA\r\nBcc: x\u0000\u200b' },
      { id: 8, username: '../../x', name: `${'n'.repeat(1_000)}\ud800` },
    ];
    const { entities } = await bring({
      [`${FAR}/export_relations/status`]: JSON.stringify([relation('user_contributions'), relation('labels')]),
      [`${FAR}/export_relations/download?relation=user_contributions`]: lines(...people),
    });
    assert.equal(entities[0]!.status, 'finished');
    const rows = await app.deps.db
      .selectFrom('import_source_users as s')
      .innerJoin('users as u', 'u.id', 's.placeholder_user_id')
      .select(['u.username', 'u.name', 's.source_username', 's.source_name'])
      .where('s.namespace_id', '=', Number(entities[0]!.namespace_id))
      .execute();
    assert.equal(rows.length, 2);
    for (const row of rows) {
      assert.match(row.username, /^[a-z]+_placeholder_\w+$/);
      for (const text of Object.values(row)) assert.doesNotMatch(String(text), /[\p{Cc}\p{Cs}\u200b\u202e]/u);
    }
  });
});

describe('nothing is brought for somebody', () => {
  test('who was blocked meanwhile', async () => {
    const server = await elsewhere();
    const { user, token } = await app.make.user({ admin: true });
    const made = expectStatus<Json>(await ask(server.url, { token }), 201);
    expectStatus(await app.post(`/users/${user.id}/block`), 201);
    await app.drain();
    const [entity] = await entitiesOf(made);
    assert.deepEqual([entity!.status, entity!.namespace_id], ['failed', null]);
    assert.match(reasons(entity!).join(), /deleted or blocked/);
    await server.close();
  });

  test('who may put nothing there any more', async () => {
    const server = await elsewhere();
    const { user, token } = await app.make.user();
    const group = await app.make.group();
    await app.make.member({ group }, user, 50);
    const made = expectStatus<Json>(await ask(server.url, { token, namespace: group.full_path }), 201);
    expectStatus(await app.put(`/groups/${group.id}/members/${user.id}`, { json: { access_level: 10 } }), 200);
    await app.drain();
    const [entity] = await entitiesOf(made);
    assert.deepEqual([entity!.status, entity!.namespace_id], ['failed', null]);
    assert.deepEqual(await pathsBelow(group.full_path), []);
    await server.close();
  });
});
