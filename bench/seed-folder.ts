import { rm } from 'node:fs/promises';
import { createProject } from '../src/api/spaces/projects/projects.create.ts';
import { loadConfig } from '../src/config/config.ts';
import { silentLogger } from '../src/core/logger.ts';
import type { Project } from '../src/db/tables/projects.table.ts';
import type { Deps } from '../src/deps.ts';
import { open } from '../src/start.ts';
import { TOKEN } from './server.ts';

/**
 * Makes a new data folder with a private project of the first user.
 * @param path the project's, and its name
 * @param fill adds what is measured, while no server has the folder
 * @returns what `fill` returns
 */
export async function seedFolder<T>(
  dataDir: string,
  path: string,
  fill: (deps: Deps, project: Project) => T | Promise<T>,
): Promise<T> {
  await rm(dataDir, { recursive: true, force: true });
  const { config } = loadConfig({ STITHY_DATA_DIR: dataDir, STITHY_ROOT_TOKEN: TOKEN });
  const { deps, close } = await open(config, silentLogger);
  try {
    const { db } = deps;
    const namespace = await db.selectFrom('namespaces').selectAll().where('owner_id', '=', 1).executeTakeFirstOrThrow();
    const place = { namespace, name: path, path, visibility: 'private', creatorId: 1 } as const;
    return await fill(deps, await createProject(deps, { ...place, defaultBranch: 'main' }));
  } finally {
    await close();
  }
}
