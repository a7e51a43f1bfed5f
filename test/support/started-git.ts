import { chmodSync, readFileSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { type Test, temporaryFolder } from './git-fixture.ts';

/**
 * Puts a `git` before the one of the path that notes each start, until the test is over.
 * @returns the arguments of those that were started since it was called last
 */
export function startedGit(t: Test): () => string[] {
  const folder = temporaryFolder(t);
  const log = join(folder, 'starts');
  const real = process.env.PATH ?? '';
  writeFileSync(log, '');
  writeFileSync(join(folder, 'git'), `#!/bin/sh\necho "$*" >> '${log}'\nPATH='${real}' exec git "$@"\n`);
  chmodSync(join(folder, 'git'), 0o755);
  process.env.PATH = `${folder}${delimiter}${real}`;
  t.after(() => {
    process.env.PATH = real;
  });
  let seen = 0;
  return () => {
    const lines = readFileSync(log, 'utf8').split('\n').slice(0, -1);
    const since = lines.slice(seen);
    seen = lines.length;
    return since;
  };
}
