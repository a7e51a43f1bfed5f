import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { apiClient } from '../support/api-client.ts';
import { emptyDatabase } from '../support/databases.ts';
import { makeOldDatabase, OLD_USER } from '../support/old-database.ts';
import { startServer } from '../support/server-process.ts';
import type { Random } from './random.ts';

const TOKEN = 'glpat-crash-test-token-000001';
const MAX_KILLS = 2;

/** Kills while a server makes its tables for the first time, or changes those of an earlier version. */
export class Births {
  kills = 0;
  readonly #folder: string;
  readonly #random: Random;
  readonly #postgres: boolean;
  /** Milliseconds that the last start took; moments of kills are spread over them. */
  #startMs = 700;

  constructor(folder: string, random: Random, postgres: boolean) {
    this.#folder = folder;
    this.#random = random;
    this.#postgres = postgres;
  }

  /** Starts one server on new data, or on those of an earlier version, kills it meanwhile, and starts it again. @returns what is wrong */
  async round(upgrade: boolean): Promise<string[]> {
    const dataDir = join(this.#folder, 'birth');
    const database = this.#postgres ? await emptyDatabase() : null;
    const settings: Record<string, string> = { STITHY_ROOT_TOKEN: TOKEN, STITHY_LOG_LEVEL: 'warn' };
    if (database?.url != null) settings.STITHY_DATABASE_URL = database.url;
    const options = { dataDir, settings, logFile: join(this.#folder, 'birth.log') };
    try {
      await mkdir(dataDir, { recursive: true });
      if (upgrade) {
        const { STITHY_DATABASE_URL } = settings;
        await makeOldDatabase(dataDir, STITHY_DATABASE_URL === undefined ? {} : { STITHY_DATABASE_URL });
      }
      for (let kill = this.#random.below(MAX_KILLS); kill >= 0; kill -= 1) await this.#startAndKill(options);
      const begun = Date.now();
      const server = await startServer(options);
      this.#startMs = Date.now() - begun;
      const path = upgrade ? `/users?username=${OLD_USER}` : '/users?username=root';
      const answer = await apiClient(server.url, TOKEN)<unknown[]>('GET', path);
      await server.kill();
      const isThere = answer.status === 200 && answer.body.length === 1;
      return isThere ? [] : [`lost in ${upgrade ? 'an upgrade' : 'a first start'}: ${answer.status} ${answer.text}`];
    } catch (error) {
      return [`${upgrade ? 'an upgrade' : 'a first start'} that was killed does not start again: ${error}`];
    } finally {
      await database?.drop();
      await rm(dataDir, { recursive: true, force: true, maxRetries: 3 });
    }
  }

  async #startAndKill(options: Parameters<typeof startServer>[0]): Promise<void> {
    this.kills += 1;
    const moment = this.#startMs * (0.3 + 0.7 * this.#random.next());
    let timer: NodeJS.Timeout | undefined;
    try {
      const server = await startServer({
        ...options,
        onSpawn: (child) => {
          timer = setTimeout(() => child.kill('SIGKILL'), moment);
        },
      });
      await server.kill();
    } catch {
      // It was killed before it was ready.
    } finally {
      clearTimeout(timer);
    }
  }
}
