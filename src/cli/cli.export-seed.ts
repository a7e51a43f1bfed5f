import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, dirname, join, resolve } from 'node:path';
import { promisify } from 'node:util';
import type { Environment } from '../config/env.ts';
import { StartupError } from '../core/startup-error.ts';
import type { ExportSource } from '../test-bench/seed-export/export-source.ts';
import { exportSeed } from '../test-bench/seed-export/seed-export.ts';
import { parseCommand, printsHelp } from './command.ts';
import { askServer, REMOTE_OPTIONS, type RemoteServer, remoteServer } from './server-client.ts';

const HELP = `Usage: stithy export-seed FILE --url URL --token TOKEN

Writes a seed file (YAML) of all that can be read over the API of a server: users, groups, projects with their histories,
issues, merge requests, and so on. Histories are written as git bundles to the folder FILE.repositories beside it.

  --url     address of the server
  --token   the administrator's token of that server (default: STITHY_ROOT_TOKEN)
`;

const MAX_OUTPUT = 64 * 1024 * 1024;
const run = promisify(execFile);

/** `stithy export-seed`: writes a seed file from a server. */
export async function exportSeedCommand(args: readonly string[], env: Environment): Promise<number> {
  if (printsHelp(args, HELP)) return 0;
  const { file, server } = parseCommand(args, HELP, REMOTE_OPTIONS, ({ values, positionals: [name, ...more] }) => {
    if (name === undefined || more.length > 0) throw new Error('expected exactly one file.');
    return { file: name, server: remoteServer(values, env) };
  });
  await requireAdministrator(server);
  const scratch = await mkdtemp(join(tmpdir(), 'stithy-export-'));
  try {
    await writeFile(file, await exportSeed(sourceOf(server, file, scratch)));
  } finally {
    await rm(scratch, { recursive: true, force: true });
  }
  process.stdout.write(`Wrote ${file}.\n`);
  return 0;
}

async function requireAdministrator(server: RemoteServer): Promise<void> {
  const { status, body } = await askServer(server, '/api/v4/user');
  if (status !== 200) throw new StartupError(`the server refuses the token (${status}).`);
  if ((JSON.parse(body) as { is_admin?: boolean }).is_admin !== true)
    throw new StartupError('the token must be that of an administrator.');
}

function sourceOf(server: RemoteServer, file: string, scratch: string): ExportSource {
  const folder = `${basename(file)}.repositories`;
  return {
    get: async (path) => {
      const { status, body } = await askServer(server, path.startsWith('/-/') ? path : `/api/v4${path}`);
      return isThere(status, path) ? (JSON.parse(body) as unknown) : null;
    },
    bytes: async (path) => {
      const { status, bytes } = await askServer(server, `/api/v4${path}`);
      return isThere(status, path) ? bytes : null;
    },
    bundle: async (fullPath) => {
      const name = join(folder, `${fullPath.replaceAll('/', '--')}.bundle`);
      await mkdir(join(dirname(file), folder), { recursive: true });
      return (await writeBundle(server, fullPath, resolve(dirname(file), name), scratch)) ? name : null;
    },
  };
}

/** @throws StartupError for an answer that is neither the thing nor that it is not there or closed */
function isThere(status: number, path: string): boolean {
  if (status === 200) return true;
  if (status === 403 || status === 404) return false;
  throw new StartupError(`the server answered ${status} to ${path}.`);
}

/** Clones a project and writes its branches and tags to a bundle. @returns whether it has any */
async function writeBundle(
  { url, token }: RemoteServer,
  fullPath: string,
  bundle: string,
  scratch: string,
): Promise<boolean> {
  const copy = join(scratch, 'copy.git');
  const credentials = Buffer.from(`root:${token}`).toString('base64');
  // In the environment others do not see it, as they would see arguments.
  const env = {
    PATH: process.env.PATH ?? '',
    GIT_TERMINAL_PROMPT: '0',
    GIT_CONFIG_NOSYSTEM: '1',
    GIT_CONFIG_GLOBAL: '/dev/null',
    GIT_CONFIG_COUNT: '1',
    GIT_CONFIG_KEY_0: 'http.extraHeader',
    GIT_CONFIG_VALUE_0: `Authorization: Basic ${credentials}`,
  };
  const git = (...args: string[]) => run('git', args, { env, maxBuffer: MAX_OUTPUT });
  try {
    await git('clone', '--quiet', '--mirror', `${url}/${fullPath}.git`, copy);
    const { stdout } = await git('-C', copy, 'for-each-ref', '--format=%(refname)', 'refs/heads/', 'refs/tags/');
    if (stdout.trim() === '') return false;
    await git('-C', copy, 'bundle', 'create', '--quiet', bundle, 'HEAD', '--branches', '--tags');
    return true;
  } catch (error) {
    throw new StartupError(`the repository of ${fullPath} cannot be read: ${(error as Error).message}`);
  } finally {
    await rm(copy, { recursive: true, force: true });
  }
}
