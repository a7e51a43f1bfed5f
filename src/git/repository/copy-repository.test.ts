import assert from 'node:assert/strict';
import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { gitFixture, temporaryFolder } from '../../../test/support/git-fixture.ts';
import { copyRepository } from './copy-repository.ts';

const GRAPHS = 'objects/info/commit-graphs';

test('a repository whose stats index grows meanwhile is copied, with what there is of it', async (t) => {
  const { dir, commit } = gitFixture(t);
  commit({ a: '1' });
  const path = join(GRAPHS, `graph-${'a'.repeat(40)}.stats`);
  mkdirSync(join(dir, GRAPHS), { recursive: true });
  let times = 0;
  let timer: NodeJS.Immediate;
  const replace = () => {
    times += 1;
    writeFileSync(join(dir, `${path}.new`), String(times));
    renameSync(join(dir, `${path}.new`), join(dir, path));
    timer = setImmediate(replace);
  };
  replace();
  const to = join(temporaryFolder(t), 'copy.git');
  try {
    await copyRepository(dir, to, new AbortController().signal);
  } finally {
    clearImmediate(timer!);
  }
  assert.deepEqual(readFileSync(join(to, 'HEAD')), readFileSync(join(dir, 'HEAD')));
  assert.match(readFileSync(join(to, path), 'utf8'), /^\d+$/);
});
