import { pipeline } from 'node:stream/promises';
import { GitError } from '../common/index.ts';
import { gitFailure, killedError, spawnGit } from '../process/index.ts';
import { type NewCommitsOptions, rangeOf } from './new-commits.ts';
import type { RepositoryPath } from './service.ts';

/** A commit object. */
export interface CommitObject {
  oid: string;
  /** Content without git's object header; null above `MAX_COMMIT` bytes. */
  data: Buffer | null;
}

const MAX_COMMIT = 10 * 1024 * 1024;
const CPU_MS = 300_000;

/**
 * Streams the commit objects that no branch or tag reaches, with two git commands in a pipeline. Memory holds a chunk
 * and one commit.
 * @param heads complete ids of commits, or of tags of commits
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
  // If one of the two exits early, its exit code gives the reason.
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

/** Parses repeated `<oid> commit <size>` LF `<data>` LF from chunks. */
class BatchReader {
  #rest: Buffer = Buffer.alloc(0);
  #open: { oid: string; size: number; parts: Buffer[]; missing: number } | null = null;

  take(chunk: Buffer): CommitObject[] {
    const commits: CommitObject[] = [];
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
      commits.push({ oid: open.oid, data });
    }
    return commits;
  }
}

function begin(header: string) {
  const match = /^([0-9a-f]+) commit (\d+)$/.exec(header);
  if (match === null) throw new GitError('failed', `git cat-file: ${header}`);
  const size = Number(match[2]);
  // Includes the line feed after the data.
  return { oid: match[1]!, size, parts: [], missing: size + 1 };
}
