import { pipeline } from 'node:stream/promises';
import { GitError } from '../git.errors.ts';
import { gitFailure, killedError, spawnGit } from '../git.process.ts';
import { type NewCommitsOptions, rangeOf } from './new-commits.ts';
import type { RepositoryPath } from './service.ts';

/** A commit as it is stored. */
export interface CommitObject {
  oid: string;
  /** Without git's object header; null for one of more than `MAX_COMMIT` bytes. */
  data: Buffer | null;
}

const MAX_COMMIT = 10 * 1024 * 1024;
const CPU_MS = 300_000;

/**
 * The commits that no branch and no tag leads to, as they are stored: two git commands, one after the other, that wait for
 * their reader; memory holds a chunk and one commit.
 * @param heads complete ids of commits, or of tags that lead to them
 * @throws GitError `failed`, `timeout`, `busy`
 */
export async function* newCommitObjects(
  repository: RepositoryPath,
  heads: readonly string[],
  { env, known }: Pick<NewCommitsOptions, 'env' | 'known'>,
): AsyncGenerator<CommitObject[], void> {
  const options = { gitDir: repository.dir, env, cpuMs: CPU_MS };
  const list = await spawnGit(['rev-list', '--stdin', '--not', '--branches', '--tags'], options);
  const read = await spawnGit(['cat-file', '--batch'], { ...options, lane: 'within' }).catch((error: unknown) => {
    list.kill();
    throw error;
  });
  list.stdin.end(rangeOf(heads, known));
  // Where one of the two ends early, its exit code tells.
  const fed = pipeline(list.stdout, read.stdin).catch(() => {});
  const reader = new BatchReader();
  let ended = false;
  try {
    for await (const chunk of read.stdout as AsyncIterable<Buffer>) {
      const commits = reader.take(chunk);
      if (commits.length > 0) yield commits;
    }
    ended = true;
  } finally {
    if (!ended) for (const git of [list, read]) git.kill();
  }
  await fed;
  for (const [name, git] of [
    ['rev-list', list],
    ['cat-file', read],
  ] as const) {
    const { code, stderr, killed } = await git.done;
    if (killed !== null) throw killedError(killed, `git ${name}`);
    if (code !== 0) throw gitFailure(name, code, stderr);
  }
}

/** Reads `<oid> commit <size>` LF `<data>` LF, again and again, out of chunks. */
class BatchReader {
  #rest: Buffer = Buffer.alloc(0);
  #open: { oid: string; size: number; parts: Buffer[]; missing: number } | null = null;

  take(chunk: Buffer): CommitObject[] {
    const found: CommitObject[] = [];
    let bytes = this.#rest.length === 0 ? chunk : Buffer.concat([this.#rest, chunk]);
    this.#rest = Buffer.alloc(0);
    while (bytes.length > 0) {
      if (this.#open === null) {
        const end = bytes.indexOf(10);
        if (end === -1) {
          this.#rest = bytes;
          break;
        }
        this.#open = begin(bytes.toString('latin1', 0, end));
        bytes = bytes.subarray(end + 1);
        continue;
      }
      const open = this.#open;
      const part = bytes.subarray(0, open.missing);
      bytes = bytes.subarray(part.length);
      open.missing -= part.length;
      if (open.size <= MAX_COMMIT) open.parts.push(part);
      if (open.missing > 0) continue;
      this.#open = null;
      const data = open.size > MAX_COMMIT ? null : Buffer.concat(open.parts).subarray(0, -1);
      found.push({ oid: open.oid, data });
    }
    return found;
  }
}

function begin(header: string) {
  const match = /^([0-9a-f]+) commit (\d+)$/.exec(header);
  if (match === null) throw new GitError('failed', `git cat-file: ${header}`);
  const size = Number(match[2]);
  // The line feed after it counts.
  return { oid: match[1]!, size, parts: [], missing: size + 1 };
}
