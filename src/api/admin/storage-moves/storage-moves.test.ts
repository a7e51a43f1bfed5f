import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { buildTestApp, expectStatus, type TestApp } from '../../../../test/support/app.ts';
import type { Namespace } from '../../../db/tables/namespaces.table.ts';
import type { Project } from '../../../db/tables/projects.table.ts';

interface Move {
  id: number;
  state: string;
  source_storage_name: string;
  destination_storage_name: string;
  error_message: string | null;
}

let app: TestApp;
let project: Project;
let group: Namespace;
let snippetId: number;
let user: string;

before(async () => {
  app = await buildTestApp();
  project = await app.make.project({ columns: { description: 'About it' } });
  group = await app.make.group();
  const made = await app.post('/snippets', {
    json: { title: 'Notes', visibility: 'private', file_name: 'a.txt', content: 'a' },
  });
  snippetId = Number(expectStatus(made, 201).id);
  user = await app.make.token((await app.make.user()).user.id);
});
after(() => app.close());

/** Each kind with the addresses of all moves, of those of one thing, and of one that is not there. */
const KINDS = [
  {
    kind: 'project',
    all: '/project_repository_storage_moves',
    own: () => `/projects/${project.id}/repository_storage_moves`,
    none: '/projects/4711/repository_storage_moves',
    gone: '404 Project Not Found',
  },
  {
    kind: 'snippet',
    all: '/snippet_repository_storage_moves',
    own: () => `/snippets/${snippetId}/repository_storage_moves`,
    none: '/snippets/4711/repository_storage_moves',
    gone: '404 Snippet Not Found',
  },
  {
    kind: 'group',
    all: '/group_repository_storage_moves',
    own: () => `/groups/${group.id}/repository_storage_moves`,
    none: '/groups/4711/repository_storage_moves',
    gone: '404 Group Not Found',
  },
] as const;

for (const { kind, all, own, none, gone } of KINDS) {
  describe(`storage moves of a ${kind}`, () => {
    test('are scheduled, made, shown and listed, the newest first', async () => {
      const made = expectStatus<Move>(await app.post(own(), { json: { destination_storage_name: 'second' } }), 201);
      assert.deepEqual(
        [made.state, made.source_storage_name, made.destination_storage_name, made.error_message],
        ['scheduled', 'default', 'second', null],
      );
      await app.drain();
      const done = expectStatus<Move>(await app.get(`${own()}/${made.id}`), 200);
      assert.deepEqual([done.state, done.error_message], ['finished', null]);
      const back = expectStatus<Move>(await app.post(own(), { json: { destination_storage_name: 'default' } }), 201);
      assert.equal(back.source_storage_name, 'second');
      await app.drain();
      for (const path of [all, own()]) {
        const list = await app.get(path);
        assert.deepEqual(
          expectStatus<Move[]>(list, 200).map(({ id }) => id),
          [back.id, made.id],
        );
        const page = await app.get(path, { query: { per_page: 1, page: 2 } });
        assert.deepEqual(
          expectStatus<Move[]>(page, 200).map(({ id }) => id),
          [made.id],
        );
        assert.deepEqual([page.headers['x-total'], page.headers['x-prev-page']], ['2', '1']);
      }
      assert.equal(expectStatus<Move>(await app.get(`${all}/${made.id}`), 200).state, 'finished');
    });

    test('without a destination go to a storage that is drawn by weight, or stay where there is no other', async () => {
      const { destination_storage_name, state } = expectStatus<Move>(await app.post(own(), { json: {} }), 201);
      assert.deepEqual([destination_storage_name, state], ['default', 'scheduled']);
      await app.drain();
      const [last] = expectStatus<Move[]>(await app.get(own()), 200);
      assert.equal(last?.state, 'finished');
    });

    test('are refused for a storage that is not there, and while one is under way', async () => {
      for (const destination_storage_name of ['third', '../x', 'Default', 'second\u0000']) {
        const refused = expectStatus(await app.post(own(), { json: { destination_storage_name } }), 400);
        assert.ok(String(refused.message).length > 0);
      }
      const unknown = expectStatus(await app.post(own(), { json: { destination_storage_name: 'third' } }), 400);
      assert.equal(unknown.message, 'destination_storage_name is not included in the list');
      assert.deepEqual(unknown.errors, { destination_storage_name: ['is not included in the list'] });
      expectStatus(await app.post(own(), { json: { destination_storage_name: 'second' } }), 201);
      const busy = expectStatus(await app.post(own(), { json: { destination_storage_name: 'default' } }), 400);
      assert.equal(busy.message, `${kind} is read-only`);
      assert.deepEqual(busy.errors, { [kind]: ['is read-only'] });
      const both = expectStatus(await app.post(own(), { json: { destination_storage_name: 'third' } }), 400);
      assert.deepEqual(Object.keys(both.errors as object), ['destination_storage_name', kind]);
      await app.drain();
      expectStatus(await app.post(own(), { json: { destination_storage_name: 'default' } }), 201);
      await app.drain();
    });

    test('of everything on a storage are scheduled in the background', async () => {
      const response = await app.post(all, {
        json: { source_storage_name: 'default', destination_storage_name: 'second' },
      });
      assert.deepEqual(expectStatus(response, 202), { message: '202 Accepted' });
      await app.drain();
      const [last] = expectStatus<Move[]>(await app.get(own()), 200);
      assert.deepEqual([last?.state, last?.destination_storage_name], ['finished', 'second']);
      expectStatus(await app.post(all, { json: { source_storage_name: 'second' } }), 202);
      await app.drain();
      const [next] = expectStatus<Move[]>(await app.get(own()), 200);
      assert.deepEqual([next?.state, next?.destination_storage_name], ['finished', 'default']);
    });

    test('of everything name storages that are there', async () => {
      const texts: [object, string][] = [
        [{}, 'source_storage_name is missing'],
        [{ source_storage_name: 'third' }, 'source_storage_name does not have a valid value'],
        [
          { source_storage_name: 'default', destination_storage_name: 'third' },
          'destination_storage_name does not have a valid value',
        ],
      ];
      for (const [json, text] of texts) {
        assert.equal(expectStatus(await app.post(all, { json }), 400).message, text);
      }
      expectStatus(await app.post(all, { json: { source_storage_name: '' } }), 400);
    });

    test('are for administrators, and 404 where there is nothing', async () => {
      for (const [token, status] of [
        [null, 401],
        [user, 403],
      ] as const) {
        for (const path of [all, own(), none, `${all}/1`, `${own()}/1`]) {
          expectStatus(await app.get(path, { token }), status);
        }
        expectStatus(await app.post(own(), { token, json: {} }), status);
        expectStatus(await app.post(none, { token, json: {} }), status);
        expectStatus(await app.post(all, { token, json: { source_storage_name: 'default' } }), status);
      }
      const reading = await app.make.token(1, ['read_api']);
      expectStatus(await app.get(own(), { token: reading }), 200);
      expectStatus(await app.post(own(), { token: reading, json: {} }), 403);
      for (const path of [`${all}/4711`, `${own()}/4711`]) {
        assert.equal(expectStatus(await app.get(path), 404).message, '404 Not found');
      }
      assert.equal(expectStatus(await app.get(none), 404).message, gone);
      assert.equal(expectStatus(await app.post(none, { json: {} }), 404).message, gone);
      expectStatus(await app.get(`${all}/x`), 400);
      expectStatus(await app.get(`${all}/99999999999999999999`), 400);
    });
  });
}

test('moves show what is moved', async () => {
  const shown = async (path: string) => expectStatus<Record<string, object>[]>(await app.get(path), 200)[0]!;
  assert.deepEqual((await shown('/project_repository_storage_moves')).project, {
    id: project.id,
    description: 'About it',
    name: project.name,
    name_with_namespace: `Administrator / ${project.name}`,
    path: project.path,
    path_with_namespace: project.full_path,
    created_at: project.created_at,
  });
  assert.deepEqual((await shown('/group_repository_storage_moves')).group, {
    id: group.id,
    web_url: `${app.deps.externalUrl()}/groups/${group.full_path}`,
    name: group.name,
  });
  const { snippet } = await shown('/snippet_repository_storage_moves');
  const input = expectStatus(await app.get(`/snippets/${snippetId}`), 200);
  for (const [key, value] of Object.entries(snippet!)) assert.deepEqual(value, input[key], key);
  assert.deepEqual(Object.keys(snippet!).sort(), [
    'created_at',
    'description',
    'http_url_to_repo',
    'id',
    'project_id',
    'raw_url',
    'ssh_url_to_repo',
    'title',
    'updated_at',
    'visibility',
    'web_url',
  ]);
});

test('a move of another kind, or of something else, is not there', async () => {
  const other = await app.make.project();
  const [move] = expectStatus<Move[]>(await app.get('/project_repository_storage_moves'), 200);
  expectStatus(await app.get(`/group_repository_storage_moves/${move!.id}`), 404);
  expectStatus(await app.get(`/projects/${other.id}/repository_storage_moves/${move!.id}`), 404);
  assert.deepEqual(expectStatus(await app.get(`/projects/${other.id}/repository_storage_moves`), 200), []);
});

test('moves go with what they move', async () => {
  const other = await app.make.project();
  const path = `/projects/${other.id}/repository_storage_moves`;
  const move = expectStatus<Move>(await app.post(path, { json: { destination_storage_name: 'second' } }), 201);
  expectStatus(await app.delete(`/projects/${other.id}`), 202);
  await app.drain();
  expectStatus(await app.get(`/project_repository_storage_moves/${move.id}`), 404);
});

test('where things are is shown to administrators, and found by it', async () => {
  const [other, place] = [await app.make.project(), await app.make.group()];
  for (const path of [`/projects/${other.id}`, `/groups/${place.id}`]) {
    const json = { destination_storage_name: 'second' };
    expectStatus(await app.post(`${path}/repository_storage_moves`, { json }), 201);
  }
  await app.drain();
  assert.equal(expectStatus(await app.get(`/projects/${other.id}`), 200).repository_storage, 'second');
  assert.equal(expectStatus(await app.get(`/projects/${other.id}/storage`), 200).repository_storage, 'second');
  assert.equal(expectStatus(await app.get(`/groups/${place.id}`), 200).repository_storage, 'second');
  assert.equal(expectStatus(await app.get(`/groups/${group.id}`), 200).repository_storage, 'default');
  const idsOn = async (path: string, storage: string) =>
    expectStatus<{ id: number }[]>(await app.get(path, { query: { repository_storage: storage } }), 200).map(
      ({ id }) => id,
    );
  assert.deepEqual(await idsOn('/projects', 'second'), [other.id]);
  assert.deepEqual(await idsOn('/groups', 'second'), [place.id]);
  assert.ok((await idsOn('/groups', 'default')).includes(group.id));
  assert.deepEqual(await idsOn('/groups', 'third'), []);
});
