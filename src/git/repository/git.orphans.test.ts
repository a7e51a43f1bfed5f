import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { dirname } from 'node:path';
import { test } from 'node:test';
import { gitFixture } from '../../../test/support/git-fixture.ts';
import { startGit } from '../process/git.process.ts';
import { killGroup } from '../process/index.ts';
import { killOrphans } from './git.orphans.ts';

test('git processes of a server end, those of people and of other folders do not', {
  skip: !existsSync('/proc/self/environ'),
}, async (t) => {
  const { dir } = gitFixture(t);
  const elsewhere = gitFixture(t);
  const child = startGit(['cat-file', '--batch'], { gitDir: dir });
  const other = startGit(['cat-file', '--batch'], { gitDir: elsewhere.dir });
  const person = spawn('git', ['cat-file', '--batch'], { cwd: dir });
  const ended = new Promise((resolve) => child.once('exit', (...end) => resolve(end)));
  const bystanders = [other, person];
  t.after(() => {
    killGroup(other);
    person.kill('SIGKILL');
  });
  for (const each of [child, ...bystanders]) {
    each.stdin!.write('HEAD\n');
    await once(each.stdout!, 'data');
  }
  assert.equal(await killOrphans([dirname(dir)]), 1);
  assert.deepEqual(await ended, [null, 'SIGTERM']);
  for (const each of bystanders) assert.deepEqual([each.exitCode, each.signalCode], [null, null]);
  assert.equal(await killOrphans([dirname(dir)]), 0);
});
