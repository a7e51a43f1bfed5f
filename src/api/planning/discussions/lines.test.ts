import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { buildTestApp, expectStatus, type TestApp } from '../../../../test/support/app.ts';
import { commitFiles } from '../../../../test/support/commits.ts';
import { ProjectGit } from '../../../../test/support/project-git.ts';
import type { Project } from '../../../db/tables/projects.table.ts';
import { followLine, lineType } from './diff-lines.ts';

type Row = Record<string, unknown>;
const lines = (count: number) => Array.from({ length: count }, (_, index) => `line ${index + 1}\n`);
let app: TestApp;
before(async () => {
  app = await buildTestApp();
});
after(() => app.close());

test('lineType tells what a diff does with a line, hunks or not', () => {
  const hunks = '@@ -3,4 +3,4 @@ f()\n 3\n-4\n+four\n 5\n 6\n@@ -20,0 +21,2 @@\n+a\n+b\n\\ No newline at end of file\n';
  const cases: [number | null, number | null, string | null][] = [
    [null, 4, 'new'],
    [4, null, 'old'],
    [3, 3, 'same'],
    [6, 6, 'same'],
    [1, 1, 'same'],
    [15, 15, 'same'],
    [20, 20, 'same'],
    [null, 22, 'new'],
    [21, 23, 'same'],
    [30, 32, 'same'],
    [31, 33, null],
    [21, 21, null],
    [4, 4, null],
    [null, 3, null],
    [3, null, null],
    [null, null, null],
  ];
  for (const [old, fresh, type] of cases)
    assert.equal(lineType(hunks, { old, new: fresh }, 30), type, `${old} ${fresh}`);
  assert.equal(lineType('', { old: 1, new: 1 }, 5), null);
});

test('followLine tells where a line went', () => {
  const hunks = '@@ -3,3 +3,2 @@\n 3\n-4\n 5\n@@ -10,0 +10,2 @@\n+a\n+b\n@@ -20 +21 @@\n-x\n+y\n';
  const where = [1, 3, 4, 5, 9, 10, 11, 19, 20, 21].map((line) => followLine(hunks, line));
  assert.deepEqual(where, [1, 3, null, 4, 8, 9, 12, 20, null, 22]);
  assert.equal(followLine('', 7), 7);
});

/** A merge request that changes `a.txt` and renames nothing yet, with a thread on each of three lines. */
async function threads(project: Project, git: ProjectGit) {
  const base = git.commit('main', { 'a.txt': lines(30).join(''), 'b.txt': 'b\n' });
  const changed = lines(30).with(4, 'five\n').with(19, 'twenty\n');
  git.commit('topic', { 'a.txt': changed.join('') }, { start: base });
  const path = `/projects/${project.id}/merge_requests`;
  const json = { title: 'Change', source_branch: 'topic', target_branch: 'main' };
  const { iid } = expectStatus<{ iid: number }>(await app.post(path, { json }), 201);
  await app.drain();
  const { diff_refs } = expectStatus<{ diff_refs: Row }>(await app.get(`${path}/${iid}`), 200);
  const start = async (place: Row) => {
    const position = { ...diff_refs, position_type: 'text', old_path: 'a.txt', new_path: 'a.txt', ...place };
    const body = expectStatus(await app.post(`${path}/${iid}/discussions`, { json: { body: 'x', position } }), 201);
    return body.id as string;
  };
  const read = async (id: string) => {
    const thread = expectStatus<{ notes: Row[] }>(await app.get(`${path}/${iid}/discussions/${id}`), 200);
    const { position, resolved } = thread.notes[0]!;
    return { ...(position as Row), resolved };
  };
  const push = async (content: readonly string[], more: Row[] = []) => {
    const actions = [{ action: 'update', file_path: 'a.txt', content: content.join('') }, ...more];
    const { id } = await commitFiles(app, project.id, actions, { branch: 'topic' });
    await app.drain();
    return id;
  };
  return { changed, diff_refs, start, read, push };
}

test('threads follow their lines into new versions, and stay behind where the lines are gone', async () => {
  const project = await app.make.project();
  const { changed, diff_refs, start, read, push } = await threads(project, new ProjectGit(app, project));
  const added = await start({ new_line: 20 });
  const removed = await start({ old_line: 20 });
  const same = await start({ old_line: 21, new_line: 21 });
  const lost = await start({ new_line: 5 });
  const head_sha = await push(['zero\n', ...changed.with(4, 'FIVE\n')]);
  const now = { ...diff_refs, head_sha };
  const place = async (id: string) => {
    const { base_sha, start_sha, head_sha, old_line, new_line, resolved } = (await read(id)) as Row;
    return { shas: { base_sha, start_sha, head_sha }, old_line, new_line, resolved };
  };
  assert.deepEqual(await place(added), { shas: now, old_line: null, new_line: 21, resolved: false });
  assert.deepEqual(await place(removed), { shas: now, old_line: 20, new_line: null, resolved: false });
  assert.deepEqual(await place(same), { shas: now, old_line: 21, new_line: 22, resolved: false });
  assert.deepEqual(await place(lost), { shas: diff_refs, old_line: null, new_line: 5, resolved: false });
  const moved = [
    { action: 'move', file_path: 'c.txt', previous_path: 'a.txt' },
    { action: 'update', file_path: 'b.txt', content: 'c\n' },
  ];
  await push(['zero\n', ...changed.with(4, 'FIVE\n')], moved);
  const renamed = (await read(added)) as Row;
  assert.deepEqual([renamed.old_path, renamed.new_path, renamed.new_line], ['a.txt', 'c.txt', 21]);
});

test('threads whose lines are gone are resolved where the project wants it', async () => {
  const project = await app.make.project({ columns: { settings: '{"resolve_outdated_diff_discussions":true}' } });
  const { changed, start, read, push } = await threads(project, new ProjectGit(app, project));
  const [unchangedLine, changedLine] = [await start({ new_line: 20 }), await start({ new_line: 5 })];
  await push(changed.with(4, 'FIVE\n'));
  assert.equal((await read(unchangedLine)).resolved, false);
  assert.equal((await read(changedLine)).resolved, true);
});
