import { randomBytes } from 'node:crypto';
import { chmod, link, open, readFile, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { fingerprintOf } from '../../access/key-caller.ts';
import { HOST_KEY_FOLDER, HOST_KEY_KINDS, type HostKeyKind, hostKeyFile } from '../../core/host-key-files.ts';
import { makePrivateFolder } from '../../core/private-folder.ts';
import { makeSshKeyPair } from '../../core/ssh-key-pair.ts';
import { StartupError } from '../../core/startup-error.ts';
import { readPrivateKey } from './private-key-file.ts';
import { type HostKey, hostKeyOf } from './protocol/host-key.ts';

const OTHERS = 0o077;

const fileOf = (dataDir: string, kind: HostKeyKind): string => join(dataDir, HOST_KEY_FOLDER, hostKeyFile(kind));

/**
 * Loads the server's host keys and generates missing ones. They are permanent, since clients remember them; existing
 * keys of another server can be placed there.
 * @throws StartupError for an invalid file
 */
export async function loadHostKeys(dataDir: string): Promise<HostKey[]> {
  await makePrivateFolder(join(dataDir, HOST_KEY_FOLDER));
  return Promise.all(HOST_KEY_KINDS.map((kind) => loadHostKey(fileOf(dataDir, kind), kind)));
}

/**
 * Fingerprints of the existing host keys with their algorithms. Generates none.
 * @throws StartupError for an invalid file
 */
export async function hostKeyFingerprints(dataDir: string): Promise<string[]> {
  const fingerprints: string[] = [];
  for (const kind of HOST_KEY_KINDS) {
    const path = fileOf(dataDir, kind);
    const text = await readIfThere(path);
    if (text !== undefined) fingerprints.push(publicKeyLine(read(path, text)));
  }
  return fingerprints;
}

/** A host key in the form that users compare. */
export const publicKeyLine = ({ algorithm, blob }: HostKey): string => `${fingerprintOf(blob)} (${algorithm})`;

async function loadHostKey(path: string, kind: HostKeyKind): Promise<HostKey> {
  const text = (await readIfThere(path)) ?? (await makeHostKey(path, kind));
  if (((await stat(path)).mode & OTHERS) !== 0) await chmod(path, 0o600);
  return read(path, text);
}

function read(path: string, text: string): HostKey {
  try {
    const { key, blob } = readPrivateKey(text);
    return hostKeyOf(key, blob);
  } catch (error) {
    throw new StartupError(`The host key ${path} cannot be used: ${(error as Error).message}.`);
  }
}

const readIfThere = (path: string): Promise<string | undefined> =>
  readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined;
    throw error;
  });

/** If two processes generate a key at once, the first one wins. */
async function makeHostKey(path: string, kind: HostKeyKind): Promise<string> {
  const { privateKey } = makeSshKeyPair('stithy', kind);
  const draft = `${path}.${randomBytes(8).toString('hex')}`;
  try {
    const file = await open(draft, 'wx', 0o600);
    try {
      await file.writeFile(privateKey);
      await file.sync();
    } finally {
      await file.close();
    }
    await link(draft, path).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'EEXIST') throw error;
    });
  } finally {
    await rm(draft, { force: true });
  }
  const folder = await open(join(path, '..'), 'r');
  await folder.sync().finally(() => folder.close());
  return readFile(path, 'utf8');
}
