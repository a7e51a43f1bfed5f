import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { buildTestApp, expectStatus, type TestApp } from '../../../../test/support/app.ts';
import { beforeTransaction, meanwhile, someoneWaits } from '../../../../test/support/meanwhile.ts';
import { seededProject } from '../../../../test/support/seeded-project.ts';
import type { ReleaseJson } from './releases.responses.ts';

let app: TestApp;
before(async () => {
  app = await buildTestApp();
});
after(() => app.close());

const message = (body: unknown) => (body as { message: string }).message;

test('two releases of one tag at once: one is made, the other is refused', async (t) => {
  const { project, git } = await seededProject(app, t);
  const path = `/projects/${project.id}/releases`;
  const create = () => app.post(path, { json: { tag_name: 'v1', ref: 'main', tag_message: 'One' } });
  const answers = await Promise.all(Array.from({ length: 6 }, create));
  assert.deepEqual(answers.map(({ statusCode }) => statusCode).sort(), [201, 409, 409, 409, 409, 409]);
  assert.equal(git.git(['tag', '--list']).trim(), 'v1');
  assert.equal(expectStatus<unknown[]>(await app.get(path), 200).length, 1);
});

test('a release that came meanwhile is found in the transaction', async (t) => {
  const { project, git, head } = await seededProject(app, t);
  git.git(['tag', 'v1', head]);
  const path = `/projects/${project.id}/releases`;
  const json = { tag_name: 'v1' };
  beforeTransaction(app, async () => expectStatus(await app.post(path, { json }), 201));
  assert.equal(message(expectStatus(await app.post(path, { json }), 409)), 'Release already exists');
});

test('a tag that goes before its release is entered is made anew, or the release is refused', async (t) => {
  const { project, git, head, path: repository } = await seededProject(app, t);
  git.git(['tag', 'v1', head]);
  const path = `/projects/${project.id}/releases`;
  const removed = async () => expectStatus(await app.delete(`${repository}/tags/v1`), 204);
  beforeTransaction(app, removed);
  assert.equal(message(expectStatus(await app.post(path, { json: { tag_name: 'v1' } }), 422)), 'Ref is not specified');
  git.git(['tag', 'v1', head]);
  beforeTransaction(app, removed);
  expectStatus(await app.post(path, { json: { tag_name: 'v1', ref: 'side' } }), 201);
  assert.equal(git.git(['tag', '--list']).trim(), 'v1');
});

test('a tag that moves before its release is entered is released where it is then', async (t) => {
  const { project, git, head, side } = await seededProject(app, t);
  git.git(['tag', 'v1', head]);
  const path = `/projects/${project.id}/releases`;
  beforeTransaction(app, async () => git.git(['update-ref', 'refs/tags/v1', side]));
  const release = expectStatus<ReleaseJson>(await app.post(path, { json: { tag_name: 'v1' } }), 201);
  assert.equal(release.commit?.id, side);
});

test('a tag that is protected meanwhile is neither made nor released by those who may not make it', async (t) => {
  const { project, git, head } = await seededProject(app, t);
  const { developer } = await app.make.members(project);
  const { token } = developer;
  const path = `/projects/${project.id}/releases`;
  const protect = async () =>
    expectStatus(await app.post(`/projects/${project.id}/protected_tags`, { json: { name: 'v*' } }), 201);
  meanwhile(app, protect);
  const refused = await app.post(path, { token, json: { tag_name: 'v1', ref: 'main' } });
  assert.equal(message(expectStatus(refused, 403)), 'You are not allowed to create this tag as it is protected.');
  assert.equal(git.git(['tag', '--list']), '');
  expectStatus(await app.delete(`/projects/${project.id}/protected_tags/v*`), 204);
  git.git(['tag', 'v1', head]);
  beforeTransaction(app, protect);
  expectStatus(await app.post(path, { token, json: { tag_name: 'v1' } }), 403);
  assert.deepEqual(expectStatus(await app.get(path), 200), []);
});

test('whoever loses their role meanwhile neither makes, changes nor removes a release', async (t) => {
  const { project } = await seededProject(app, t);
  const { developer } = await app.make.members(project);
  const { token, user } = developer;
  const path = `/projects/${project.id}/releases`;
  expectStatus(await app.post(path, { json: { tag_name: 'v1', ref: 'main' } }), 201);
  const level = (access_level: number) => async () =>
    expectStatus(await app.put(`/projects/${project.id}/members/${user.id}`, { json: { access_level } }), 200);
  for (const ask of [
    () => app.put(`${path}/v1`, { token, json: { name: 'x' } }),
    () => app.delete(`${path}/v1`, { token }),
    () => app.post(`${path}/v1/evidence`, { token }),
    () => app.post(`${path}/v1/assets/links`, { token, json: { name: 'a', url: 'http://a' } }),
  ]) {
    beforeTransaction(app, level(20));
    expectStatus(await ask(), 403);
    await level(30)();
  }
  expectStatus(await app.get(`${path}/v1`), 200);
});

test('a release that goes meanwhile is 404', async (t) => {
  const { project } = await seededProject(app, t);
  const path = `/projects/${project.id}/releases`;
  for (const ask of [
    () => app.put(`${path}/v1`, { json: { name: 'x' } }),
    () => app.delete(`${path}/v1`),
    () => app.post(`${path}/v1/assets/links`, { json: { name: 'a', url: 'http://a' } }),
  ]) {
    expectStatus(await app.post(path, { json: { tag_name: 'v1', ref: 'main' } }), 201);
    beforeTransaction(app, async () => expectStatus(await app.delete(`${path}/v1`), 200));
    expectStatus(await ask(), 404);
  }
});

test('a milestone that is about to go while a release takes it is waited for, and refused by its name', async (t) => {
  const { project } = await seededProject(app, t);
  const path = `/projects/${project.id}/releases`;
  expectStatus(await app.post(path, { json: { tag_name: 'v1', ref: 'main' } }), 201);
  for (const ask of [
    () => app.post(path, { json: { tag_name: 'v2', ref: 'main', milestones: ['Soon'] } }),
    () => app.put(`${path}/v1`, { json: { milestones: ['Soon'] } }),
  ]) {
    const made = await app.post(`/projects/${project.id}/milestones`, { json: { title: 'Soon' } });
    const { id } = expectStatus<{ id: number }>(made, 201);
    const gone = Promise.withResolvers<void>();
    const taken = Promise.withResolvers<void>();
    const removing = app.deps.db.transaction().execute(async (db) => {
      await db.deleteFrom('milestones').where('id', '=', id).execute();
      gone.resolve();
      await taken.promise;
    });
    await gone.promise;
    const asking = ask();
    await someoneWaits(app);
    taken.resolve();
    await removing;
    assert.equal(message(expectStatus(await asking, 400)), 'Milestone(s) not found: Soon');
  }
});
