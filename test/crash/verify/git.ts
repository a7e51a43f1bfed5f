import { runGitClient } from '../../support/git-client.ts';

/** Runs git on a repository of the server, past the server. @returns its output, exit code and error text */
export async function inspect(
  dir: string,
  args: readonly string[],
  input = '',
): Promise<{ code: number; text: string; stderr: string }> {
  const { code, stdout, stderr } = await runGitClient(
    '/',
    ['-c', 'safe.directory=*', `--git-dir=${dir}`, ...args],
    input,
  );
  return { code, text: stdout.toString('utf8'), stderr };
}

/** All refs with what they point at. */
export async function readRefs(dir: string): Promise<Map<string, string>> {
  const { code, text, stderr } = await inspect(dir, ['for-each-ref', '--format=%(refname) %(objectname)']);
  if (code !== 0 || stderr !== '') throw new Error(`refs of ${dir} cannot be read: ${stderr}`);
  const lines = text.split('\n').filter((line) => line !== '');
  return new Map(lines.map((line) => line.split(' ') as [string, string]));
}
