import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { Gitlab } from '@gitbeaker/rest';
import { buildTestApp, ROOT_TOKEN, type TestApp } from '../support/app.ts';
import { block, lines, type SuggestingNote, type Suggestion, SuggestionScene } from '../support/suggestions.ts';

/** The unmodified JavaScript client against the listening server. */
let app: TestApp;
let api: InstanceType<typeof Gitlab<false>>;
let scene: SuggestionScene;
before(async () => {
  app = await buildTestApp();
  api = new Gitlab({ host: await app.listen(), token: ROOT_TOKEN });
  scene = await SuggestionScene.open(app, await app.make.project());
});
after(() => app.close());

test('the client suggests changes, and applies one and several', async () => {
  const { id } = scene.project;
  const suggest = async (line: number) => {
    const { base_sha, start_sha, head_sha, new_line, old_path, new_path } = scene.position(line) as Record<
      string,
      string
    >;
    const position = {
      baseSha: base_sha!,
      startSha: start_sha!,
      headSha: head_sha!,
      oldPath: old_path!,
      newPath: new_path!,
      positionType: 'text' as const,
      newLine: String(new_line),
    };
    const thread = await api.MergeRequestDiscussions.create(id, 1, block(`${line}\n`), { position });
    return (thread.notes as unknown as SuggestingNote[])[0]!.suggestions![0]!;
  };
  const [one, two, three] = [await suggest(1), await suggest(2), await suggest(3)];
  const edited = (await api.Suggestions.edit(one.id, { commitMessage: 'One' })) as unknown as Suggestion;
  assert.deepEqual([edited.id, edited.applied], [one.id, true]);
  const both = (await api.Suggestions.editBatch([two.id, three.id])) as unknown as Suggestion[];
  assert.deepEqual(
    both.map(({ id, applied }) => [id, applied]),
    [
      [two.id, true],
      [three.id, true],
    ],
  );
  assert.equal(await scene.content(), lines(20).toSpliced(0, 3, '1\n', '2\n', '3\n').join(''));
  const notes = (await api.MergeRequestNotes.all(id, 1)) as unknown as SuggestingNote[];
  assert.equal(notes.filter(({ suggestions }) => suggestions?.[0]?.applied).length, 3);
  assert.equal((await api.Commits.show(id, 'topic')).title, 'Apply 2 suggestion(s) to 1 file(s)');
});
