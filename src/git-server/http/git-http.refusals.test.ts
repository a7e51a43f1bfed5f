import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { buildTestApp, ROOT_TOKEN, type TestApp } from '../../../test/support/app.ts';
import { GitUser } from '../../../test/support/git-user.ts';

let app: TestApp;
let user: GitUser;
let url: string;
before(async () => {
  app = await buildTestApp();
  url = await app.listen();
  user = await GitUser.of(app);
});
after(() => app.close());

const NOT_FOUND =
  /^remote: The project you were looking for could not be found or you don't have permission to view it\.$/m;

describe('what git shows when it is refused', () => {
  test('a wrong token', async () => {
    const project = await app.make.project();
    const shown = await user.fails(user.folder, 'ls-remote', user.address(project, 'glpat-wrong'));
    assert.match(shown, /^remote: HTTP Basic: Access denied\./m);
    assert.match(shown, /Authentication failed/);
  });

  test('a project that is not there, and one that the caller may not see, alike', async () => {
    const project = await app.make.project();
    const { stranger } = await app.make.members(project);
    const hidden = await user.fails(user.folder, 'ls-remote', user.address(project, stranger.token));
    const missing = await user.fails(user.folder, 'ls-remote', user.address({ full_path: 'no/such' }, stranger.token));
    assert.match(hidden, NOT_FOUND);
    assert.match(missing, NOT_FOUND);
    assert.match(hidden, /not found/);
  });

  test('the code of a public project that is for members', async () => {
    const project = await app.make.project({ visibility: 'public', columns: { repository_access_level: 'private' } });
    const { stranger, reporter } = await app.make.members(project);
    assert.match(
      await user.fails(user.folder, 'ls-remote', user.address(project, stranger.token)),
      /^remote: You are not allowed to download code from this project\.$/m,
    );
    assert.equal((await fetch(`${url}/${project.full_path}.git/info/refs?service=git-upload-pack`)).status, 401);
    await user.ok(user.folder, 'ls-remote', user.address(project, reporter.token));
  });

  test('no right to download, to push, or to push with that token', async () => {
    const project = await app.make.project();
    const { guest, reporter, developer } = await app.make.members(project);
    const dir = await user.tree();
    assert.match(
      await user.fails(dir, 'ls-remote', user.address(project, guest.token)),
      /^remote: You are not allowed to download code from this project\.$/m,
    );
    assert.match(
      await user.fails(dir, 'push', user.address(project, reporter.token), 'main'),
      /^remote: You are not allowed to push code to this project\.$/m,
    );
    const reader = await app.make.token(developer.user.id, ['read_repository']);
    assert.match(
      await user.fails(dir, 'push', user.address(project, reader), 'main'),
      /^remote: The token lacks the scope write_repository\.$/m,
    );
  });

  test('an archived project', async () => {
    const project = await app.make.project();
    const dir = await user.tree();
    await app.deps.db.updateTable('projects').set({ archived: 1 }).where('id', '=', project.id).execute();
    assert.match(
      await user.fails(dir, 'push', user.address(project), 'main'),
      /^remote: You can't push code to an archived project\.$/m,
    );
  });
});

describe('a branch whose name is a folder of another', () => {
  test('feature/x where feature is, and the reverse, say which is in the way', async () => {
    const project = await app.make.project();
    const dir = await user.tree();
    await user.ok(dir, 'push', '--quiet', user.address(project), 'main', 'main:feature', 'main:a/b/c');
    assert.match(
      await user.fails(dir, 'push', user.address(project), 'main:feature/x'),
      /remote rejected\] main -> feature\/x \('refs\/heads\/feature' exists; cannot create 'refs\/heads\/feature\/x'\)/,
    );
    for (const name of ['a', 'a/b']) {
      const shown = await user.fails(dir, 'push', user.address(project), `main:refs/heads/${name}`);
      assert.ok(shown.includes(`('refs/heads/a/b/c' exists; cannot create 'refs/heads/${name}')`), shown);
    }
    const both = await user.fails(
      dir,
      'push',
      '--atomic',
      user.address(project),
      'main:refs/heads/n',
      'main:refs/heads/n/m',
    );
    assert.match(both, /exists; cannot create 'refs\/heads\/n/);
  });

  test('feature goes and feature/x comes in one push', async () => {
    const project = await app.make.project();
    const dir = await user.tree();
    await user.ok(dir, 'push', '--quiet', user.address(project), 'main', 'main:z');
    await user.ok(dir, 'push', user.address(project), 'main:z/a', ':z');
    assert.match(await user.ok(dir, 'ls-remote', user.address(project)), /refs\/heads\/z\/a\n/);
  });
});

describe('what is no request of git', () => {
  const ask = async (path: string, body: string | Buffer, headers: Record<string, string> = {}) => {
    const response = await fetch(`${url}/${path}`, {
      method: 'POST',
      body: new Uint8Array(Buffer.from(body)),
      headers: { authorization: `Bearer ${ROOT_TOKEN}`, ...headers },
    });
    return { status: response.status, type: response.headers.get('content-type'), text: await response.text() };
  };

  test('an empty body, or one of something else, is a 400 with a sentence and nothing in the log', async () => {
    const project = await app.make.project();
    const lines = app.logLines.length;
    for (const service of ['git-upload-pack', 'git-receive-pack']) {
      const type = { 'content-type': `application/x-${service}-request` };
      const path = `${project.full_path}.git/${service}`;
      const packed = { ...type, 'content-encoding': 'gzip' };
      const answers = [
        await ask(path, '', type),
        await ask(path, ''),
        await ask(path, 'hello, git', type),
        await ask(path, gzipSync('hello, git'), packed),
        await ask(path, 'no gzip at all', packed),
        await ask(path, gzipSync('0000').subarray(0, 12), packed),
      ];
      for (const [index, { status, text, type }] of answers.entries()) {
        assert.equal(status, 400, `${service} ${index}: ${text}`);
        assert.match(text, /^The request is empty or is not a valid git request\.\n$/);
        assert.match(type ?? '', /^text\/plain/);
      }
      assert.equal((await ask(path, '0000', { 'content-type': 'text/x-unknown' })).status, 415);
    }
    assert.deepEqual(
      app.logLines.slice(lines).filter((line) => line.includes('"level":"error"')),
      [],
    );
  });
});
