import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { emptyDatabase, type TestDatabase } from '../support/databases.ts';
import { type ServerProcess, startServer } from '../support/server-process.ts';
import type { Engine, Lab } from './experiment.ts';

const TOKEN = 'glpat-fault-test-token-000000';

/** The administrator's token of every server of a lab. */
export const ROOT_TOKEN = TOKEN;

/** A lab and what has to be ended after its experiment. */
export interface OpenLab extends Lab {
  close(keepFolder: boolean): Promise<void>;
}

/** Opens a lab for one experiment on one database. */
export async function openLab(engine: Engine, say: (text: string) => void): Promise<OpenLab> {
  const folder = await mkdtemp(join(tmpdir(), 'stithy-fault-'));
  const databases: TestDatabase[] = [];
  const servers: ServerProcess[] = [];
  const optionsOf = (dataDir: string, settings: Record<string, string> = {}) => ({
    dataDir,
    settings: { STITHY_ROOT_TOKEN: TOKEN, STITHY_LOG_LEVEL: 'warn', ...settings },
    logFile: join(folder, 'server.log'),
  });
  return {
    engine,
    folder,
    say,
    newDatabase: async () => {
      const database = await emptyDatabase();
      databases.push(database);
      const settings: Record<string, string> = {};
      if (database.url !== null) settings.STITHY_DATABASE_URL = database.url;
      return settings;
    },
    start: async (dataDir, settings, by = []) => {
      await mkdir(dataDir, { recursive: true });
      const server = await startServer({ ...optionsOf(dataDir, settings), by });
      servers.push(server);
      return server;
    },
    startAndKill: async (dataDir, moment, settings) => {
      await mkdir(dataDir, { recursive: true });
      let timer: NodeJS.Timeout | undefined;
      const onSpawn = (child: ServerProcess['child']) => {
        timer = setTimeout(() => child.kill('SIGKILL'), moment);
      };
      try {
        const server = await startServer({ ...optionsOf(dataDir, settings), onSpawn });
        await server.kill();
        return true;
      } catch {
        return false;
      } finally {
        clearTimeout(timer);
      }
    },
    close: async (keepFolder) => {
      await Promise.all(servers.map((server) => server.kill()));
      await Promise.all(databases.map((database) => database.drop()));
      if (!keepFolder) await rm(folder, { recursive: true, force: true, maxRetries: 3 });
    },
  };
}
