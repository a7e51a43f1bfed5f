import { FETCH, mayTakeOver } from './import.ts';
import { runGit } from './process.ts';
import { makeRepository } from './repository-files.ts';

const TIMEOUT_MS = 3_600_000;
const MAX_REFS = 64 * 1024 * 1024;

/**
 * Makes a repository of the branches and tags of a bundle; objects are checked as they come in. Durable when it fulfils.
 * @param file path of the bundle
 * @param options `maxBytes` of its objects
 * @throws GitError for what is no bundle, `conflict` where `to` is there already, `aborted`
 */
export async function importBundle(
  file: string,
  to: string,
  { defaultBranch, maxBytes, signal }: { defaultBranch: string; maxBytes: number; signal: AbortSignal },
): Promise<void> {
  const { stdout } = await runGit(['bundle', 'list-heads', file], { signal, maxOutput: MAX_REFS });
  const lines = stdout.toString().split('\n');
  const refs = lines
    .map((line) => line.slice(line.indexOf(' ') + 1))
    .filter((ref) => /^refs\/(?:heads|tags)\/./.test(ref));
  const taken = refs.filter(mayTakeOver);
  const format = /^[0-9a-f]{64} /.test(lines[0] ?? '') ? 'sha256' : 'sha1';
  await makeRepository(to, {
    head: `ref: refs/heads/${defaultBranch}\n`,
    format,
    fill: async (temporary) => {
      if (taken.length === 0) return;
      const only = ['-c', 'protocol.allow=never', '-c', 'protocol.file.allow=always', '-c', 'fetch.fsckObjects=true'];
      await runGit([...only, ...FETCH, '--stdin', '--end-of-options', file], {
        gitDir: temporary,
        signal,
        timeoutMs: TIMEOUT_MS,
        fileBytes: maxBytes,
        input: `${taken.map((ref) => `+${ref}:${ref}`).join('\n')}\n`,
      });
    },
  });
}
