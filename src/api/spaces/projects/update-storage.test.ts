import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { buildTestApp, expectStatus, type TestApp, TestClock } from '../../../../test/support/app.ts';
import { finishMove } from '../../../../test/support/storage-moves.ts';

type Json = Record<string, unknown>;
let app: TestApp;
const clock = new TestClock();
before(async () => {
  app = await buildTestApp({ clock });
});
after(() => app.close());

interface Move {
  id: number;
  state: string;
  source_storage_name: string;
  destination_storage_name: string;
}

const movesOf = async (id: number) =>
  expectStatus<Move[]>(await app.get(`/projects/${id}/repository_storage_moves`), 200);
const put = (id: number, json: object, token?: string) =>
  app.put(`/projects/${id}`, { json, ...(token === undefined ? {} : { token }) });

test('administrators move a project to another storage by updating it', async () => {
  const { id, description } = await app.make.project();
  for (const same of ['default', '']) expectStatus(await put(id, { repository_storage: same }), 200);
  assert.deepEqual(await movesOf(id), []);
  const unknown = await put(id, { repository_storage: 'nowhere', description: 'Changed' });
  assert.equal(expectStatus<Json>(unknown, 400).message, 'repository_storage is invalid');
  assert.equal(expectStatus<Json>(await app.get(`/projects/${id}`), 200).description, description);

  expectStatus(await put(id, { repository_storage: 'second', description: 'Moved' }), 200);
  const [move, ...more] = await movesOf(id);
  assert.deepEqual([move?.source_storage_name, move?.destination_storage_name], ['default', 'second']);
  assert.equal(more.length, 0);
  const busy = await put(id, { repository_storage: 'second', description: 'Again' });
  assert.equal(expectStatus<Json>(busy, 400).message, 'project is read-only');
  assert.equal(expectStatus<Json>(await app.get(`/projects/${id}`), 200).description, 'Moved');

  assert.equal((await finishMove(app, clock, move!)).state, 'finished');
  assert.equal(expectStatus<Json>(await app.get(`/projects/${id}`), 200).repository_storage, 'second');
});

test('the storage that others name is passed over', async () => {
  const project = await app.make.project();
  const { developer, maintainer, owner } = await app.make.members(project);
  expectStatus(await put(project.id, { repository_storage: 'second' }, developer.token), 403);
  for (const { token } of [maintainer, owner]) {
    for (const repository_storage of ['second', 'nowhere']) {
      const shown = expectStatus<Json>(await put(project.id, { repository_storage }, token), 200);
      assert.equal(Object.hasOwn(shown, 'repository_storage'), false);
    }
  }
  assert.deepEqual(await movesOf(project.id), []);
});
