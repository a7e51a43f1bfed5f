import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { after, describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { commitFile, git, processesIn, serveGit, until } from '../../../test/support/git-http.ts';
import { removeStaleLocks } from '../files/index.ts';

const work = mkdtempSync(join(tmpdir(), 'stithy-killed-'));
after(() => rmSync(work, { recursive: true, force: true }));

describe('a server that is killed in the middle of a push', () => {
  const script = fileURLToPath(new URL('../../../test/support/git-http-child.ts', import.meta.url));
  for (const moment of ['check', 'update']) {
    test(`during its ${moment} leaves the refs alone, and nothing moves them later`, async () => {
      const http = await serveGit();
      const clone = mkdtempSync(join(work, 'clone-'));
      await git(clone, 'init', '--quiet', '--initial-branch=main');
      const first = await commitFile(clone, 'file', 'one\n');
      assert.equal((await git(clone, 'push', http.url, 'main')).code, 0);

      const server = spawn(process.execPath, [script, http.dir, moment], { stdio: ['ignore', 'pipe', 'inherit'] });
      const lines = createInterface(server.stdout)[Symbol.asyncIterator]();
      const url = String((await lines.next()).value);
      await commitFile(clone, 'file', 'two\n');
      const pushing = git(clone, 'push', url, 'main', 'main:topic');
      assert.equal((await lines.next()).value, 'reached');
      server.kill('SIGKILL');
      assert.notEqual((await pushing).code, 0);
      await until(() => processesIn(http.dir).length === 0);
      assert.deepEqual(await http.repository.refs.list('refs/'), [{ name: 'refs/heads/main', oid: first }]);

      await removeStaleLocks(http.dir, new Date(Date.now() + 1_000));
      const objects = readdirSync(join(http.dir, 'objects'));
      assert.deepEqual(
        objects.filter((name) => name.startsWith('tmp_')),
        [],
      );
      await http.close();
    });
  }
});
