import { rmSync } from 'node:fs';
import { rename, rm, writeFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { StartupError } from '../core/startup-error.ts';
import { sshEndpoint } from '../repositories/ssh-address.ts';
import type { Running } from '../start.ts';

/** What programs read of a server that is ready, as a line of JSON. */
export function readyLine({ url, deps: { config, externalUrl }, newToken, ssh }: Running): string {
  const token = newToken ?? config.rootToken;
  const { host, port } = sshEndpoint(config, externalUrl());
  return `${JSON.stringify({ url, token, ssh: ssh === null ? null : `ssh://git@${host}:${port}`, pid: process.pid })}\n`;
}

/**
 * Writes a file that appears whole.
 * @returns a function that removes it
 * @throws StartupError
 */
export async function writeReadyFile(file: string, line: string): Promise<() => void> {
  const path = resolve(file);
  const temporary = `${path}.${process.pid}`;
  try {
    await writeFile(temporary, line, { mode: 0o600 });
    await rename(temporary, path);
  } catch (error) {
    await rm(temporary, { force: true });
    throw new StartupError(`The file ${path} of --ready-file cannot be written: ${(error as Error).message}.`);
  }
  return () => rmSync(path, { force: true });
}
