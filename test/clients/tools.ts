/** What `run.ts` brings clients onto the machine with. */
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { delimiter, join, resolve } from 'node:path';

/** Where clients are kept between runs. */
export const cache = resolve(import.meta.dirname, '../../node_modules/.cache/clients');

const PREPARE_MS = 600_000;

export interface Client {
  name: string;
  /** What it does otherwise than with the platform, and why, for the report. */
  differs?: string;
  /** Of the server it works with. */
  settings?: Record<string, string>;
  /** Whether its tests start servers themselves: they run once, and get none. */
  startsServers?: boolean;
  /** Brings the client onto the machine. @returns the command that runs its tests @throws Missing */
  prepare(): Promise<string[]>;
}

/** Why a client cannot be tested on this machine. */
export class Missing extends Error {
  override name = 'Missing';
}

/** Runs a program to its end. @throws Missing when it is not there, or fails */
export function tool(
  command: string,
  args: readonly string[],
  cwd = import.meta.dirname,
  env: Record<string, string> = {},
): void {
  const options = { cwd, encoding: 'utf8', timeout: PREPARE_MS, env: { ...process.env, ...env } } as const;
  const { status, error, stderr } = spawnSync(command, args, options);
  if (error !== undefined) throw new Missing(`${command} cannot be run: ${error.message}`);
  const reason = stderr.slice(-500).replace(/\s+/g, ' ').trim();
  if (status !== 0) throw new Missing(`${command} ${args.join(' ')} failed: ${reason}`);
}

/** Brings a package, and others that its tests take, into an environment of its own. @returns the folder of its programs */
export async function installPython(name: string, version: string, others: readonly string[] = []): Promise<string> {
  const folder = join(cache, `${name}-${version}`);
  const done = join(folder, 'installed');
  if (!existsSync(done)) {
    tool('python3', ['-m', 'venv', folder]);
    tool(join(folder, 'bin/python'), ['-m', 'pip', 'install', '--quiet', `${name}==${version}`, ...others]);
    await writeFile(done, '');
  }
  return join(folder, 'bin');
}

/** Packages of npm in a folder of their own. @returns the folder */
export async function installNode(name: string, packages: readonly string[]): Promise<string> {
  const folder = join(cache, name);
  await mkdir(folder, { recursive: true });
  if (!existsSync(join(folder, 'node_modules/.package-lock.json'))) {
    await writeFile(join(folder, 'package.json'), '{"private":true}\n');
    tool('npm', ['install', '--no-audit', '--no-fund', '--ignore-scripts', '--prefix', folder, ...packages], folder);
  }
  return folder;
}

/** A program of that name on the machine; undefined where there is none. */
export const onPath = (name: string): string | undefined =>
  (process.env.PATH ?? '')
    .split(delimiter)
    .map((folder) => join(folder, name))
    .find((file) => existsSync(file));
