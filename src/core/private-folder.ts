import { chmod, mkdir, readdir, stat } from 'node:fs/promises';
import { dirname } from 'node:path';

/** Permission bits of other users. */
const OTHERS = 0o007;
/** Files that only exist in folders of this server. */
const OURS = ['gitconfig', 'server.lock'];

/**
 * Creates a folder with its parents that only its owner may access. An existing folder that is empty or belongs to this
 * server is closed for other users; access of its group is kept.
 * @throws the file system's error
 */
export async function makePrivateFolder(path: string): Promise<void> {
  try {
    await make(path);
    return;
  } catch (error) {
    if (codeOf(error) !== 'EEXIST') throw error;
  }
  const { mode, uid } = await stat(path);
  if ((mode & OTHERS) === 0 || uid !== process.getuid?.()) return;
  const names = await readdir(path);
  if (names.length === 0 || names.some((name) => OURS.includes(name))) await chmod(path, 0o700);
}

/** Not `recursive`: node would loop forever in /proc, where folders cannot be created. */
async function make(path: string): Promise<void> {
  try {
    await mkdir(path, { mode: 0o700 });
  } catch (error) {
    const parent = dirname(path);
    if (codeOf(error) !== 'ENOENT' || parent === path || (await isThere(parent))) throw error;
    await make(parent);
    await mkdir(path, { mode: 0o700 });
  }
}

const codeOf = (error: unknown): unknown => (error as NodeJS.ErrnoException).code;

async function isThere(path: string): Promise<boolean> {
  try {
    await stat(path);
    return true;
  } catch {
    return false;
  }
}
