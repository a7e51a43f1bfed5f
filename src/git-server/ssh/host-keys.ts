import { randomBytes } from 'node:crypto';
import { chmod, link, open, readFile, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { CannotStart } from '../../core/cannot-start.ts';
import { makePrivateFolder } from '../../core/private-folder.ts';
import { makeSshKeyPair } from '../../core/ssh-key-pair.ts';
import { readPrivateKey } from './private-key-file.ts';
import { type HostKey, hostKeyOf } from './protocol/host-key.ts';

/** Where the server keeps the keys by which SSH clients know it, within the data folder. */
const HOST_KEY_FOLDER = 'ssh';
const KINDS = ['ed25519', 'ecdsa'] as const;
const OTHERS = 0o077;

const fileOf = (folder: string, kind: (typeof KINDS)[number]): string => join(folder, `ssh_host_${kind}_key`);

/**
 * The server's own keys, made where there are none: clients remember them, so that they stay for good. Those of another
 * server may be put there before.
 * @throws CannotStart for a file that is none
 */
export async function loadHostKeys(dataDir: string): Promise<HostKey[]> {
  const folder = join(dataDir, HOST_KEY_FOLDER);
  await makePrivateFolder(folder);
  return Promise.all(KINDS.map((kind) => loadHostKey(fileOf(folder, kind), kind)));
}

async function loadHostKey(path: string, kind: (typeof KINDS)[number]): Promise<HostKey> {
  const text = (await readIfThere(path)) ?? (await makeHostKey(path, kind));
  if (((await stat(path)).mode & OTHERS) !== 0) await chmod(path, 0o600);
  try {
    const { key, blob } = readPrivateKey(text);
    return hostKeyOf(key, blob);
  } catch (error) {
    throw new CannotStart(`The host key ${path} cannot be used: ${(error as Error).message}.`);
  }
}

const readIfThere = (path: string): Promise<string | undefined> =>
  readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined;
    throw error;
  });

/** Of two processes that make one at once, the first has it. */
async function makeHostKey(path: string, kind: (typeof KINDS)[number]): Promise<string> {
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
