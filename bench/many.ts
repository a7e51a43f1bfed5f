import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { loadConfig } from '../src/config/config.ts';
import { silentLogger } from '../src/core/logger.ts';
import { migrations } from '../src/db/migrations/index.ts';
import { createRepository } from '../src/git/repository/index.ts';
import { open } from '../src/start.ts';
import { fillWithMany } from '../test/support/many/fill.ts';
import type { Amounts } from '../test/support/many/rows.ts';
import { TOKEN } from './server.ts';

export const SMALL: Amounts = {
  projects: 1_000,
  issues: 1_000,
  mergeRequests: 1_000,
  events: 1_000,
  snippets: 1_000,
  jobs: 1_000,
  packages: 1_000,
};
export const LARGE: Amounts = {
  projects: 10_000,
  issues: 100_000,
  mergeRequests: 20_000,
  events: 1_000_000,
  snippets: 10_000,
  jobs: 100_000,
  packages: 100_000,
};

/** So many repositories are made; projects and snippets take turns with them, since lists read little of each. */
const REPOSITORIES = 500;

/** Fills a data folder with so many rows; one that was made of the same tables before is used again. */
export async function seedMany(dataDir: string, amounts: Amounts): Promise<void> {
  const made = JSON.stringify([amounts, Object.values(migrations)]);
  const mark = join(dataDir, 'made-of.json');
  if ((await readFile(mark, 'utf8').catch(() => '')) === made) return;
  await rm(dataDir, { recursive: true, force: true });
  await mkdir(dataDir, { recursive: true });
  const { config } = loadConfig({ STITHY_DATA_DIR: dataDir, STITHY_ROOT_TOKEN: TOKEN, STITHY_SYNC: 'off' });
  const { deps, close } = await open(config, silentLogger);
  const places = Array.from({ length: REPOSITORIES }, () => ({
    repository_storage: 'default',
    disk_path: deps.storages.newDiskPath(),
  }));
  for (const { repository_storage: storage, disk_path: diskPath } of places) {
    await createRepository(deps.storages.dirOf({ storage, diskPath }), { defaultBranch: 'main' });
  }
  await fillWithMany(deps.db, amounts, (n) => places[n % places.length]!);
  await close();
  await writeFile(mark, made);
}
