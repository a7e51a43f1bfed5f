import { cp, rm } from 'node:fs/promises';
import { createProject } from '../src/api/spaces/projects/projects.create.ts';
import { loadConfig } from '../src/config/config.ts';
import { silentLogger } from '../src/core/logger.ts';
import { open } from '../src/start.ts';
import { TOKEN } from './server.ts';

/** Fills a new data folder: one project with a copy of the generated repository. @returns the repository's directory */
export async function seed(dataDir: string, repository: string): Promise<string> {
  await rm(dataDir, { recursive: true, force: true });
  const { config } = loadConfig({ STITHY_DATA_DIR: dataDir, STITHY_ROOT_TOKEN: TOKEN });
  const instance = await open(config, silentLogger);
  const { deps } = instance;
  const namespace = await deps.db
    .selectFrom('namespaces')
    .selectAll()
    .where('owner_id', '=', 1)
    .executeTakeFirstOrThrow();
  const project = await createProject(deps, {
    namespace,
    name: 'bench',
    path: 'bench',
    visibility: 'private',
    creatorId: 1,
    defaultBranch: 'main',
    fillRepository: (dir) => cp(repository, dir, { recursive: true, force: true }),
  });
  const dir = deps.storages.dirOf({ storage: project.repository_storage, diskPath: project.disk_path });
  await instance.close();
  return dir;
}
