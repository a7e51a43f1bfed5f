import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { Gitlab } from '@gitbeaker/rest';
import { buildTestApp, ROOT_TOKEN, type TestApp } from '../support/app.ts';

/** The unmodified JavaScript client against the listening server. */
let app: TestApp;
let api: InstanceType<typeof Gitlab<false>>;
before(async () => {
  app = await buildTestApp();
  api = new Gitlab({ host: await app.listen(), token: ROOT_TOKEN });
});
after(() => app.close());

test('moves are scheduled, listed and shown', async () => {
  const { id } = await api.Projects.create({ name: 'Moved' });
  const to = { destinationStorageName: 'second' };
  const move = await api.ProjectRepositoryStorageMoves.schedule('default', { projectId: id, ...to });
  assert.deepEqual([move.state, move.project.id], ['scheduled', id]);
  await app.drain();
  assert.equal((await api.ProjectRepositoryStorageMoves.show(move.id)).state, 'finished');
  assert.equal((await api.ProjectRepositoryStorageMoves.show(move.id, { projectId: id })).state, 'finished');
  for (const options of [{}, { projectId: id }]) {
    const all = await api.ProjectRepositoryStorageMoves.all(options);
    assert.deepEqual(
      all.map((each) => each.id),
      [move.id],
    );
  }
  const group = await api.Groups.create('Wiki', 'wiki');
  const groupMove = await api.GroupRepositoryStorageMoves.schedule('default', { groupId: group.id, ...to });
  assert.equal(groupMove.group.id, group.id);
  const answer = await api.SnippetRepositoryStorageMoves.schedule('default', to);
  assert.equal(answer.message, '202 Accepted');
});
