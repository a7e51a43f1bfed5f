import { createHash } from 'node:crypto';
import { pipeline } from 'node:stream/promises';
import { checkOids } from './arguments.ts';
import { spawnGit } from './process.ts';
import { KeyedQueue } from './queue.ts';
import type { Repository } from './repository.ts';

const TIMEOUT_MS = 60_000;
const MAX_WAITING = 10_000;
const DIFF = ['diff-tree', '-r', '-p', '--full-index', '--no-ext-diff', '--no-textconv', '--no-color', '--no-renames'];

/** One at a time: each takes two git children. */
const queue = new KeyedQueue({ maxWaiting: MAX_WAITING });

/**
 * What a whole comparison comes to, whatever lines and commits it stands on: git's patch id. Two versions of one change
 * have the same.
 * @param from id of a commit or tree
 * @param to id of a commit or tree
 * @returns null where nothing changed; of a change that git cannot read within a minute an id that only the very same
 * two commits share
 * @throws GitError `invalid` for incomplete ids, `busy`
 */
export async function patchId(repo: Repository, from: string, to: string): Promise<string | null> {
  checkOids([from, to]);
  const found = await queue.run('', () => readPatchId(repo, from, to));
  return found === undefined ? createHash('sha1').update(`${from}\0${to}`).digest('hex') : found;
}

async function readPatchId(repo: Repository, from: string, to: string): Promise<string | null | undefined> {
  const options = { gitDir: repo.dir, timeoutMs: TIMEOUT_MS };
  const diff = await spawnGit([...DIFF, '--end-of-options', from, to, '--'], options);
  diff.stdin.end();
  const id = await spawnGit(['patch-id', '--stable'], { ...options, lane: 'within' }).catch((error: unknown) => {
    diff.kill();
    throw error;
  });
  let text = '';
  id.stdout.setEncoding('latin1').on('data', (chunk: string) => {
    if (text.length < 1_000) text += chunk;
  });
  // A command that fails says so by its exit code.
  await pipeline(diff.stdout, id.stdin).catch(() => {});
  const [read, made] = await Promise.all([diff.done, id.done]);
  if (read.code !== 0 || made.code !== 0) return undefined;
  return /^[0-9a-f]{40,64}/.exec(text)?.[0] ?? null;
}
