import { execFile } from 'node:child_process';
import { cp, mkdir, readdir, readFile, rm } from 'node:fs/promises';
import { delimiter, dirname, join, resolve } from 'node:path';
import { promisify } from 'node:util';

const ROOT = resolve(import.meta.dirname, '../..');
const run = promisify(execFile);

/** PATH with the programs of a folder, and with the Node.js of this process for programs that ask for one. */
export const pathWith = (...folders: string[]): string =>
  [...folders, dirname(process.execPath), process.env.PATH ?? ''].join(delimiter);

/**
 * Packs what is published, with a bundle of the sources as they are.
 * @param folder where the archive and what it is made of go
 * @returns the archive
 */
export async function packPackage(folder: string): Promise<string> {
  // Any command makes the bundle where it is older than the sources.
  await run(process.execPath, [join(ROOT, 'bin/stithy.js'), 'version']);
  const { files } = JSON.parse(await readFile(join(ROOT, 'package.json'), 'utf8')) as { files: string[] };
  const tree = join(folder, 'packed');
  await mkdir(tree);
  for (const file of ['package.json', ...files]) await cp(join(ROOT, file), join(tree, file), { recursive: true });
  const types = join(folder, 'types');
  await run(join(ROOT, 'node_modules/.bin/tsc'), ['-p', 'tsconfig.build.json', '--outDir', types], { cwd: ROOT });
  await run(process.execPath, [join(ROOT, 'build/types.ts'), types, join(tree, 'dist')]);
  await npm(tree, 'pack', '--ignore-scripts', '--pack-destination', folder);
  await rm(tree, { recursive: true });
  const [archive] = (await readdir(folder)).filter((name) => /^stithy-.*\.tgz$/.test(name));
  return join(folder, archive!);
}

/** Runs npm without the network, and with nothing of this user's settings. */
export async function npm(cwd: string, ...args: string[]): Promise<string> {
  const env = { PATH: pathWith(), HOME: cwd, npm_config_offline: 'true', npm_config_update_notifier: 'false' };
  return (await run('npm', args, { cwd, env, maxBuffer: 64 * 1024 * 1024 })).stdout;
}
