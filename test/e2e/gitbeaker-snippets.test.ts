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

const paths = ({ files }: { files?: unknown }) => (files as { path: string }[]).map(({ path }) => path);

test('a snippet is made, shown, changed and removed', async () => {
  const made = await api.Snippets.create('Mine', {
    visibility: 'public',
    files: [
      { filePath: 'a/b.txt', content: 'first' },
      { filePath: 'c.txt', content: 'second' },
    ],
  });
  assert.deepEqual(paths(made), ['a/b.txt', 'c.txt']);
  const id = Number(made.id);
  assert.equal(await asText(api.Snippets.showContent(id)), 'first');
  assert.equal(await asText(api.Snippets.showRepositoryFileContent(id, 'main', 'c.txt')), 'second');
  for (const list of [{ public: true }, {}]) {
    assert.deepEqual(
      (await api.Snippets.all(list)).map((each) => each.id),
      [id],
    );
  }
  const files = [{ action: 'move' as const, previousPath: 'c.txt', filePath: 'd.txt' }];
  assert.deepEqual(paths(await api.Snippets.edit(id, { description: 'Text', files })), ['a/b.txt', 'd.txt']);
  assert.equal((await api.Snippets.show(id)).description, 'Text');
  assert.equal(typeof (await api.Snippets.showUserAgentDetails(id)).user_agent, 'string');
  await api.Snippets.remove(id);
  assert.deepEqual(await api.Snippets.all(), []);
});

test("a project's snippet is made, shown, changed and removed", async () => {
  const project = await api.Projects.create({ name: 'Client' });
  const made = await api.ProjectSnippets.create(project.id, 'Shared', {
    visibility: 'private',
    files: [{ filePath: 'x.rb', content: 'puts 1' }],
  });
  const id = Number(made.id);
  assert.equal(await asText(api.ProjectSnippets.showContent(project.id, id)), 'puts 1');
  assert.deepEqual(
    (await api.ProjectSnippets.all(project.id)).map((each) => each.id),
    [id],
  );
  const edited = await api.ProjectSnippets.edit(project.id, id, {
    files: [{ action: 'update', filePath: 'x.rb', content: 'puts 2' }],
  });
  assert.equal(edited.project_id, project.id);
  assert.equal(await asText(api.ProjectSnippets.showRepositoryFileContent(project.id, id, 'main', 'x.rb')), 'puts 2');
  await api.ProjectSnippets.remove(project.id, id);
  assert.deepEqual(await api.ProjectSnippets.all(project.id), []);
});

/** The client gives plain text as a text, or as a blob where it does not know the media type. */
async function asText(answer: Promise<unknown>): Promise<string> {
  const body = await answer;
  return body instanceof Blob ? body.text() : String(body);
}
