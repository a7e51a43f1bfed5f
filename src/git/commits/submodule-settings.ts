import { GitError } from '../common/index.ts';
import { runGit } from '../process/index.ts';
import { CommitError } from './commit-error.ts';
import { HFS_IGNORED } from './path-rules.ts';

/** Whether `git fsck` refuses a setting because it could run a command in a clone. */
function isDangerous(key: string, value: string): boolean {
  const match = /^submodule\.(.*)\.([^.]+)$/s.exec(key);
  if (match === null) return false;
  const [, name, setting] = match;
  if (name === '' || name!.split(/[/\\]/).includes('..')) return true;
  if (setting === 'path') return value.startsWith('-');
  if (setting === 'update') return value.startsWith('!');
  return setting === 'url' && isDangerousUrl(value);
}

function isDangerousUrl(url: string): boolean {
  if (url.startsWith('-') || /\n|%0a/i.test(url)) return true;
  const rest = url.replace(/^(?:\.{1,2}[/\\])+/, '');
  return rest !== url && /^[:/\\]/.test(rest);
}

/** Whether any file system would treat a path as a `.gitmodules` file, by the rules of `git fsck`. */
export function isSubmoduleSettingsPath(path: string): boolean {
  const name = path.slice(path.lastIndexOf('/') + 1).replace(HFS_IGNORED, '');
  return /^(?:\.gitmodules|gitmod~[1-4]|gi7eba~[1-9]|gi7d29~[1-9])[. ]*(?::|$)/i.test(name);
}

/**
 * Refuses a `.gitmodules` file with settings that could harm a clone. A file that git cannot read is harmless.
 * @throws CommitError `submodule_invalid`
 */
export async function checkSubmoduleSettings(path: string, content: Buffer): Promise<void> {
  for (const [key, value] of await readSettings(content)) {
    if (isDangerous(key, value)) throw new CommitError('submodule_invalid', path);
  }
}

async function readSettings(content: Buffer): Promise<[string, string][]> {
  try {
    const args = ['config', '--file', '-', '--no-includes', '--null', '--list'];
    const { stdout } = await runGit(args, { input: content });
    return stdout
      .toString('utf8')
      .split('\0')
      .map((line): [string, string] => {
        const end = line.indexOf('\n');
        return end < 0 ? [line, ''] : [line.slice(0, end), line.slice(end + 1)];
      });
  } catch (error) {
    if (error instanceof GitError && error.code === 'failed') return [];
    throw error;
  }
}
