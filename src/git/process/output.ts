import { Readable } from 'node:stream';
import { currentScope, inScope, type RequestScope } from '../../core/request-scope.ts';
import { gitFailure } from './git.failure.ts';
import { type GitOptions, killedError, spawnGit } from './git.process.ts';

/** Memory limit in bytes of a streaming child: enough for several files below git's streaming threshold. */
const CHILD_MEMORY = 512 * 1024 * 1024;

/**
 * Streams the output of a git command, with back-pressure. Destroying the stream ends git; a failure is an error of the
 * stream. Slow readers take no slot of short commands.
 * @param args built by the server, as for `spawnGit`
 */
export const gitOutput = (args: readonly string[], options: Omit<GitOptions, 'lane'>): Readable =>
  Readable.from(chunks(args, { memory: CHILD_MEMORY, ...options, lane: 'transport' }, currentScope()), {
    objectMode: false,
    highWaterMark: 256 * 1024,
  });

/** @param scope of the request: the stream is read after its handler has returned */
async function* chunks(args: readonly string[], options: GitOptions, scope: RequestScope): AsyncGenerator<Buffer> {
  const git = await inScope(scope, () => spawnGit(args, options));
  git.stdin.end();
  let ended = false;
  try {
    for await (const chunk of git.stdout as AsyncIterable<Buffer>) yield chunk;
    ended = true;
  } finally {
    if (!ended) git.kill();
  }
  const { code, stderr, killed } = await git.done;
  const name = args.find((arg) => /^[a-z]/.test(arg) && !arg.includes('=')) ?? '';
  if (killed !== null) throw killedError(killed, `git ${name}`);
  if (code !== 0) throw gitFailure(name, code, stderr);
}
