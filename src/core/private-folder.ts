import { chmod, mkdir, readdir, stat } from 'node:fs/promises';
import { dirname } from 'node:path';

/** Anybody on the machine. */
const OTHERS = 0o007;
/** Files that only a server of ours makes. */
const OURS = ['gitconfig', 'server.lock'];

/**
 * Makes a folder that only its owner may enter, with the folders above it. One that is there, empty or ours, and open to
 * everybody is closed; access that a group was given stays.
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

/** Not `recursive`: in /proc, where no folder can be made, node would try for ever. */
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
