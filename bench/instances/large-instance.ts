import { randomBytes } from 'node:crypto';
import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { gitText, makePacked, randomNumbers } from '../git.ts';
import { type BenchServer, startServer } from '../server.ts';

const PORT = 18_795;
export const PROJECTS = 20;
/** Random files in each project: some of its history is imported, the rest are commits of the seed. */
const IMPORTED = { files: 17, bytes: 256 * 1024 };
const COMMITTED = { files: 12, bytes: 64 * 1024 };

async function* history(): AsyncGenerator<string> {
  const files = Array.from({ length: IMPORTED.files }, (_, at) => {
    // Hexadecimal digits are text, and compress to these bytes.
    const text = randomBytes(IMPORTED.bytes).toString('hex');
    return `M 100644 inline imported-${at}.txt\ndata ${text.length}\n${text}\n`;
  });
  yield `commit refs/heads/main\ncommitter A <a@example.com> 1700000000 +0000\ndata 6\nBegin\n\n${files.join('')}done\n`;
}

/** Writes a seed of 20 projects with 100 MB in all. @returns the file */
async function writeSeed(folder: string): Promise<string> {
  const repository = join(folder, 'imported.git');
  await rm(repository, { recursive: true, force: true });
  await makePacked(repository, history());
  await gitText(repository, ['bundle', 'create', '--quiet', join(folder, 'imported.bundle'), 'HEAD', 'main']);
  const projects = Array.from({ length: PROJECTS }, (_, at) => ({
    path: `seeded-${at + 1}`,
    namespace: 'root',
    import: 'imported.bundle',
    commits: Array.from({ length: COMMITTED.files }, (_, file) => ({
      files: { [`own/${file}.bin`]: { base64: randomBytes(COMMITTED.bytes).toString('base64') } },
    })),
    issues: [{ title: 'Task {n}', count: 10 }],
    merge_requests: [{ source_branch: 'change-{n}', count: 2 }],
  }));
  const file = join(folder, 'large.json');
  await writeFile(file, JSON.stringify({ settings: { issues_create_limit: 0 }, projects }));
  return file;
}

/**
 * Starts a server with a test bench and 20 projects of 100 MB.
 * @param folder for its data
 * @param env added to the environment
 */
export async function largeInstance(folder: string, env: Readonly<Record<string, string>> = {}): Promise<BenchServer> {
  const seed = await writeSeed(folder);
  return startServer(join(folder, 'data'), PORT, [], { STITHY_BENCH: '1', STITHY_SEED: seed, ...env });
}

/** A project's id, each as often as the others. */
export const drawProject = (random: () => number): number => 1 + Math.floor(random() * PROJECTS);

export const numbers = (seed: number): (() => number) => randomNumbers(seed);
