import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { buildTestApp, expectStatus, type TestApp } from '../../../../test/support/app.ts';
import { makeMergeRequest } from '../../../../test/support/merge-request.ts';

let app: TestApp;
before(async () => {
  app = await buildTestApp();
});
after(() => app.close());

interface Thread {
  id: string;
  notes: { id: number; body: string; system: boolean; resolved?: boolean }[];
}
interface Made {
  iid: number;
  title: string;
  description: string | null;
  message: string;
}

async function scene() {
  const project = await app.make.project({ visibility: 'public' });
  const people = await app.make.members(project);
  const row = await makeMergeRequest(app, project, { title: 'Big change', author_id: people.reporter.user.id });
  const path = `/projects/${project.id}`;
  const threads = `${path}/merge_requests/${row.iid}/discussions`;
  const begin = async (body: string) =>
    expectStatus<Thread>(await app.post(threads, { json: { body }, token: people.guest.token }), 201);
  const [one, two] = [await begin('First\nthing'), await begin('Second thing')];
  expectStatus(await app.post(`${threads}/${one.id}/notes`, { json: { body: 'Indeed' } }), 201);
  const create = (json: object, token: string | null = people.developer.token) =>
    app.post(`${path}/issues`, { token, json });
  const resolved = async () =>
    expectStatus<Thread[]>(await app.get(threads), 200)
      .filter(({ notes }) => notes.some(({ system }) => !system))
      .map(({ notes }) => notes.filter(({ system }) => !system).every((note) => note.resolved === true));
  return { project, people, iid: row.iid, threads, one, two, create, resolved };
}

test('merge_request_to_resolve_discussions_of was passed over: now it resolves, and fills title and description', async () => {
  const { project, people, iid, threads, one, create, resolved } = await scene();
  const made = expectStatus<Made>(await create({ merge_request_to_resolve_discussions_of: iid }), 201);
  const address = `${app.deps.externalUrl()}/${project.full_path}/-/merge_requests/${iid}`;
  const who = people.guest.user.username;
  assert.equal(made.title, 'Follow-up from "Big change"');
  assert.match(String(made.description), new RegExp(`^The following discussions from !${iid} should be addressed:`));
  assert.ok(
    made.description?.includes(
      `- [ ] @${who} started a [discussion](${address}#note_${one.notes[0]!.id}): (+1 comment)\n\n    > First\n    > thing`,
    ),
  );
  assert.deepEqual(await resolved(), [true, true]);
  const first = expectStatus<Thread>(await app.get(`${threads}/${one.id}`), 200);
  assert.deepEqual(
    first.notes.map(({ body, system }) => [body, system]),
    [
      ['First\nthing', false],
      ['Indeed', false],
      [`created #${made.iid} to continue this discussion`, true],
    ],
  );
});

test('discussion_to_resolve takes one thread; what the client says goes first', async () => {
  const { iid, two, create, resolved, people } = await scene();
  const json = { merge_request_to_resolve_discussions_of: iid, discussion_to_resolve: two.id };
  const own = { title: 'Mine', description: 'My words' };
  const made = expectStatus<Made>(await create({ ...json, ...own }, people.reporter.token), 201);
  assert.deepEqual([made.title, made.description], ['Mine', 'My words']);
  assert.deepEqual(await resolved(), [false, true]);
});

test('threads are resolved by those alone who may, and nothing is made otherwise', async () => {
  const { project, iid, two, create, resolved, people } = await scene();
  const all = { merge_request_to_resolve_discussions_of: iid };
  for (const { token } of [people.guest, people.stranger]) expectStatus(await create(all, token), 403);
  expectStatus(await create(all, null), 401);
  expectStatus(await create({ merge_request_to_resolve_discussions_of: 99 }), 404);
  expectStatus(await create({ ...all, discussion_to_resolve: 'f'.repeat(40) }), 404);
  const message = async (json: object) => expectStatus<Made>(await create(json), 400).message;
  assert.equal(
    await message({ title: 't', discussion_to_resolve: two.id }),
    'merge_request_to_resolve_discussions_of is missing',
  );
  assert.equal(await message({ description: 'd' }), 'title is missing');
  assert.deepEqual(await resolved(), [false, false]);
  assert.deepEqual(expectStatus<Made[]>(await app.get(`/projects/${project.id}/issues`), 200), []);
});
