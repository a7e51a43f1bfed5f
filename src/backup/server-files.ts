import { constants, copyFile, mkdir } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { HOST_KEY_FOLDER, HOST_KEY_KINDS, hostKeyFile } from '../core/host-key-files.ts';
import { SECRETS_KEY } from '../core/secret-box.ts';
import { isMissing, isTaken, syncPath } from '../git/files/index.ts';

const HOST_KEYS = HOST_KEY_KINDS.map((kind) => join(HOST_KEY_FOLDER, hostKeyFile(kind)));

/**
 * Copies further files of the data folder: the key of encrypted database values and the SSH host keys. Missing files
 * are skipped.
 * @param part folder of the backup
 */
export async function copyOwnFiles(dataDir: string, part: string): Promise<void> {
  for (const file of [SECRETS_KEY, ...HOST_KEYS]) await copyIfThere(join(dataDir, file), join(part, basename(file)), 0);
}

/** Restores these files. Existing host keys are kept. @param from folder of the backup */
export async function restoreOwnFiles(from: string, dataDir: string): Promise<void> {
  await copyIfThere(join(from, SECRETS_KEY), join(dataDir, SECRETS_KEY), 0);
  for (const file of HOST_KEYS) {
    const to = join(dataDir, file);
    await mkdir(dirname(to), { recursive: true, mode: 0o700 });
    await copyIfThere(join(from, basename(file)), to, constants.COPYFILE_EXCL);
  }
}

async function copyIfThere(from: string, to: string, mode: number): Promise<void> {
  try {
    await copyFile(from, to, mode);
    await syncPath(to);
  } catch (error) {
    if (!isMissing(error) && !isTaken(error)) throw error;
  }
}
