import assert from 'node:assert/strict';
import { cpSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { type Stithy, start } from '../../src/index.ts';
import { temporaryFolder } from '../support/git-fixture.ts';

type Made = { id: string | number };
const PROJECT = '/projects/root%2Fweb';
const [FIRST, SECOND] = ['first@example.com', 'second@example.com'];

test('two servers of one process on copies of one data folder tell nothing of each other', async (t) => {
  const folder = temporaryFolder(t);
  const serve = async (name: string): Promise<Stithy> => {
    const settings = {
      STITHY_DATA_DIR: join(folder, name),
      STITHY_ROOT_TOKEN: 'glpat-copied-data-0000',
      STITHY_SYNC: 'off',
    };
    const stithy = await start({ bench: true, settings });
    t.after(() => stithy.stop());
    return stithy;
  };
  const commit = async (server: Stithy, author_email: string, file_path: string) => {
    const actions = [{ action: 'create', file_path, content: `${file_path}\n` }];
    const body = { branch: 'main', commit_message: file_path, author_email, author_name: 'A', actions };
    const { id } = await server.api<Made>('POST', `${PROJECT}/repository/commits`, body);
    await server.idle();
    return id;
  };
  const original = await serve('original');
  await original.api('POST', '/projects', { path: 'web', initialize_with_readme: true });
  await commit(original, FIRST, 'a.rb');
  await original.stop();
  cpSync(join(folder, 'original'), join(folder, 'copy'), { recursive: true });
  const [one, other] = [await serve('original'), await serve('copy')];
  const emails = async (server: Stithy) =>
    (await server.api<{ email: string }[]>('GET', `${PROJECT}/repository/contributors`)).map(({ email }) => email);
  const read = async (server: Stithy) => ({
    contributors: (await emails(server)).filter((email) => email === FIRST || email === SECOND).sort(),
    languages: Object.keys(await server.api<object>('GET', `${PROJECT}/languages`)).sort(),
    files: (await server.api<{ name: string }[]>('GET', `${PROJECT}/repository/tree`)).map(({ name }) => name),
  });
  const before = await read(other);
  assert.deepEqual(await read(one), before);
  const added = await commit(one, SECOND, 'b.py');
  await commit(other, FIRST, 'c.go');
  assert.deepEqual(await read(one), {
    contributors: [FIRST, SECOND],
    languages: ['Python', 'Ruby'],
    files: ['README.md', 'a.rb', 'b.py'],
  });
  assert.deepEqual(await read(other), {
    contributors: [FIRST],
    languages: ['Go', 'Ruby'],
    files: ['README.md', 'a.rb', 'c.go'],
  });
  for (const path of ['', '/diff', '/refs', '/sequence', '/merge_requests'])
    await assert.rejects(other.api('GET', `${PROJECT}/repository/commits/${added}${path}`), { status: 404 }, path);
});
