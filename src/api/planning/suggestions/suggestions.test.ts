import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { buildTestApp, expectStatus, type TestApp } from '../../../../test/support/app.ts';
import { block, lines, type SuggestingNote, SuggestionScene } from '../../../../test/support/suggestions.ts';

let app: TestApp;
let scene: SuggestionScene;
before(async () => {
  app = await buildTestApp();
  scene = await SuggestionScene.open(app, await app.make.project());
});
after(() => app.close());

const count = async () => (await app.deps.db.selectFrom('suggestions').select('id').execute()).length;

describe('notes on lines', () => {
  test('tell what they suggest, in every answer', async () => {
    const body = `Better:\n${block('five\n')}or all:\n${block('', ':-1+2')}`;
    const { id, note } = await scene.comment(body, 5);
    const [first, second] = note.suggestions!;
    assert.deepEqual(note.suggestions, [
      {
        id: first!.id,
        from_line: 5,
        to_line: 5,
        appliable: true,
        applied: false,
        from_content: 'line 5\n',
        to_content: 'five\n',
      },
      {
        id: second!.id,
        from_line: 4,
        to_line: 7,
        appliable: true,
        applied: false,
        from_content: 'line 4\nline 5\nline 6\nline 7\n',
        to_content: '',
      },
    ]);
    await app.drain();
    const list = expectStatus<SuggestingNote[]>(await app.get(`${scene.path}/notes`), 200);
    const thread = expectStatus<{ notes: SuggestingNote[] }>(await app.get(`${scene.path}/discussions/${id}`), 200);
    const inThread = `${scene.path}/discussions/${id}/notes/${note.id}`;
    const threads = expectStatus<{ id: string; notes: SuggestingNote[] }[]>(
      await app.get(`${scene.path}/discussions`),
      200,
    );
    const found = await app.get(`/projects/${scene.project.id}/search?scope=notes&search=Better`);
    const events = expectStatus<{ note?: SuggestingNote }[]>(
      await app.get(`/projects/${scene.project.id}/events?action=commented`),
      200,
    );
    const answers: (SuggestingNote | undefined)[] = [
      list.find((each) => each.id === note.id),
      thread.notes[0],
      expectStatus<SuggestingNote>(await app.get(inThread), 200),
      threads.find((each) => each.id === id)!.notes[0],
      expectStatus<SuggestingNote[]>(found, 200)[0],
      events.find((each) => each.note?.id === note.id)!.note,
      expectStatus<SuggestingNote>(await app.put(inThread, { json: { resolved: true } }), 200),
    ];
    for (const answer of answers) assert.deepEqual(answer?.suggestions, note.suggestions);
  });

  test('have no line before the first one, and none after the last', async () => {
    const far = await scene.suggest('x\n', 2, { offsets: ':-100+100' });
    assert.deepEqual([far.from_line, far.to_line, far.from_content], [1, 102, lines(20).join('')]);
  });

  test('suggest nothing that is no change', async () => {
    assert.equal((await scene.suggest('line 3\n', 3)).appliable, false);
  });

  test('tell by replies, too', async () => {
    const { id } = await scene.comment('Hm', 8);
    const json = { body: block('eight\n') };
    const reply = await app.post(`${scene.path}/discussions/${id}/notes`, { json });
    const { suggestions } = expectStatus<SuggestingNote>(reply, 201);
    assert.deepEqual(
      suggestions!.map(({ from_content, to_content }) => [from_content, to_content]),
      [['line 8\n', 'eight\n']],
    );
  });

  test('keep the line ends of the file', async () => {
    const files = { 'a.txt': 'one\r\ntwo\r\nthree' };
    const other = await SuggestionScene.open(app, await app.make.project(), { files });
    assert.equal((await other.suggest('2\n2\n', 2)).to_content, '2\r\n2\r\n');
    assert.equal((await other.suggest('3\n', 3)).to_content, '3\n');
  });
});

test('other notes suggest nothing, whatever they say', async () => {
  const before = await count();
  const body = block('x\n');
  const comment = expectStatus<SuggestingNote>(await app.post(`${scene.path}/notes`, { json: { body } }), 201);
  assert.equal(comment.suggestions, undefined);
  const { sha } = expectStatus<{ sha: string }>(await app.get(scene.path), 200);
  const onCommit = `/projects/${scene.project.id}/repository/commits/${sha}/discussions`;
  const position = scene.position(1);
  const thread = expectStatus<{ notes: SuggestingNote[] }>(await app.post(onCommit, { json: { body, position } }), 201);
  assert.equal(thread.notes[0]!.suggestions, undefined);
  const file = { ...scene.position(1), position_type: 'file' };
  const onFile = expectStatus<{ notes: SuggestingNote[] }>(
    await app.post(`${scene.path}/discussions`, { json: { body, position: file } }),
    201,
  );
  assert.deepEqual(onFile.notes[0]!.suggestions, []);
  assert.equal(await count(), before);
});

test('removed lines, large files and too many lines are not suggested to', async () => {
  const project = await app.make.project();
  const long = `${'x'.repeat(300 * 1024)}\n`;
  const files = { 'README.md': 'Bye\n', 'long.txt': `${long}short\n`, 'large.txt': `a\n${'x'.repeat(1024 * 1024)}\n` };
  const other = await SuggestionScene.open(app, project, { files });
  const removed = { ...other.position(1, 'README.md'), new_line: null, old_line: 1 };
  const json = { body: block('x\n'), position: removed };
  const thread = expectStatus<{ notes: SuggestingNote[] }>(await app.post(`${other.path}/discussions`, { json }), 201);
  assert.deepEqual(thread.notes[0]!.suggestions, []);
  const { note } = await other.comment(`${block('x\n')}${block('y\n', ':-1+0')}${block('z\n')}`, 2, {
    path: 'long.txt',
  });
  assert.deepEqual(
    note.suggestions!.map(({ to_content }) => to_content),
    ['x\n'],
  );
  assert.deepEqual((await other.comment(block('x\n'), 1, { path: 'large.txt' })).note.suggestions, []);
});

describe('changes of a note', () => {
  const change = async (id: number, body: string) =>
    expectStatus<SuggestingNote>(await app.put(`${scene.path}/notes/${id}`, { json: { body } }), 200).suggestions!;

  test('change its suggestions; those that stay keep their id', async () => {
    const { note } = await scene.comment(`${block('a\n')}${block('b\n')}`, 9);
    const [a, b] = note.suggestions!;
    const changed = await change(note.id, `More:\n${block('a\n')}${block('c\n', ':-1+0')}${block('d\n')}`);
    assert.deepEqual(
      changed.map(({ from_line, to_content }) => [from_line, to_content]),
      [
        [9, 'a\n'],
        [8, 'c\n'],
        [9, 'd\n'],
      ],
    );
    assert.equal(changed[0]!.id, a!.id);
    assert.notEqual(changed[1]!.id, b!.id);
    assert.deepEqual((await scene.note(note.id)).suggestions, changed);
    assert.deepEqual(await change(note.id, 'Nothing'), []);
    assert.equal((await app.put(`/suggestions/${a!.id}/apply`)).statusCode, 404);
    assert.equal((await change(note.id, `/label ~x\n${block('e\n')}`))[0]!.to_content, 'e\n');
  });

  test('take its suggestions with it when it is deleted', async () => {
    const before = await count();
    const { note } = await scene.comment(block('a\n'), 9);
    assert.equal(await count(), before + 1);
    expectStatus(await app.delete(`${scene.path}/notes/${note.id}`), 204);
    assert.equal(await count(), before);
  });
});

describe('drafts', () => {
  const publish = async (json: object, id?: string) => {
    const path = `${scene.path}/draft_notes`;
    const draft = expectStatus<{ id: number; suggestions?: unknown }>(await app.post(path, { json }), 201);
    assert.equal(draft.suggestions, undefined);
    const way =
      id === undefined ? await app.post(`${path}/bulk_publish`) : await app.put(`${path}/${draft.id}/publish`);
    expectStatus(way, 204);
    return expectStatus<SuggestingNote[]>(await app.get(`${scene.path}/notes`), 200)[0]!;
  };

  test('suggest once they are published', async () => {
    const note = await publish({ note: block('ten\n'), position: scene.position(10) });
    assert.deepEqual(
      note.suggestions!.map(({ from_line, to_content }) => [from_line, to_content]),
      [[10, 'ten\n']],
    );
  });

  test('suggest as replies, too', async () => {
    const { id } = await scene.comment('Hm', 11);
    const note = await publish({ note: block('eleven\n'), in_reply_to_discussion_id: id }, id);
    assert.equal(note.suggestions![0]!.from_content, 'line 11\n');
  });
});

test('suggestions follow their lines, and are outdated while these are others', async () => {
  const other = await SuggestionScene.open(app, await app.make.project());
  const { note } = await other.comment(block('x\n', ':-1+1'), 5);
  const { note: lost } = await other.comment(block('x\n'), 12);
  const state = async () => {
    const { from_line, to_line, appliable } = (await other.note(note.id)).suggestions![0]!;
    return { from_line, to_line, appliable };
  };
  await other.push(['zero\n', ...lines(20)].join(''));
  await app.drain();
  assert.deepEqual(await state(), { from_line: 5, to_line: 7, appliable: true });
  await other.push(['zero\n', ...lines(20).with(3, 'four\n').with(11, 'twelve\n')].join(''));
  await app.drain();
  assert.deepEqual(await state(), { from_line: 5, to_line: 7, appliable: false });
  assert.equal((await other.note(lost.id)).suggestions![0]!.appliable, false);
  await other.push(['zero\n', ...lines(20)].join(''));
  await app.drain();
  assert.deepEqual(await state(), { from_line: 5, to_line: 7, appliable: true });
  expectStatus(await app.put(other.path, { json: { state_event: 'close' } }), 200);
  assert.equal((await state()).appliable, false);
  expectStatus(await app.put(other.path, { json: { state_event: 'reopen' } }), 200);
  assert.equal((await state()).appliable, true);
});
