import { mkdtemp, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { runGit } from '../../git/process/index.ts';
import { mayTakeOver } from '../../git/remote/index.ts';
import type { Repository } from '../../git/repository/index.ts';
import { type BundleSource, SeedMistake } from './seed-context.ts';

const CPU_MS = 600_000;
const MAX_REFS = 64 * 1024 * 1024;

/**
 * Bundles of the repositories that a seed file names, seen from its folder.
 * @returns with what removes the temporary ones
 */
export function bundlesBeside(file: string): { bundles: BundleSource; remove: () => Promise<void> } {
  let folder: string | null = null;
  let made = 0;
  const bundles = async (path: string) => {
    const source = resolve(dirname(file), path);
    const found = await stat(source).catch(() => null);
    if (found === null) return null;
    if (found.isFile()) return source;
    folder ??= await mkdtemp(join(tmpdir(), 'stithy-seed-'));
    made += 1;
    const bundle = join(folder, `${made}.bundle`);
    await bundleOf(source, bundle);
    return bundle;
  };
  return {
    bundles,
    remove: async () => {
      if (folder !== null) await rm(folder, { recursive: true, force: true });
    },
  };
}

/** Writes branches and tags of a repository, bare or with a work tree, to a bundle. @throws SeedMistake */
async function bundleOf(source: string, bundle: string): Promise<void> {
  const inner = join(source, '.git');
  const gitDir = (await stat(inner).catch(() => null)) === null ? source : inner;
  try {
    await runGit(['bundle', 'create', '--quiet', bundle, 'HEAD', '--branches', '--tags'], { gitDir, cpuMs: CPU_MS });
  } catch (error) {
    throw new SeedMistake(`import: ${source} is no git repository with commits (${(error as Error).message})`);
  }
}

/**
 * Takes the objects of a bundle into a repository.
 * @returns its branches and tags, full names
 * @throws SeedMistake for what is no bundle
 */
export async function unpackBundle(repo: Repository, bundle: string): Promise<Map<string, string>> {
  try {
    const options = { gitDir: repo.dir, cpuMs: CPU_MS, maxOutput: MAX_REFS };
    const { stdout } = await runGit(['bundle', 'unbundle', bundle], options);
    const refs = stdout
      .toString()
      .split('\n')
      .map((line) => /^([0-9a-f]+) (refs\/(?:heads|tags)\/.+)$/.exec(line))
      .flatMap((match) => (match === null ? [] : [[match[2]!, match[1]!] as const]));
    return new Map(refs.filter(([ref]) => mayTakeOver(ref)));
  } catch (error) {
    throw new SeedMistake(`import: it is no git bundle (${(error as Error).message})`);
  }
}
