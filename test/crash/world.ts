import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { type ApiAnswer, apiClient, type Call } from '../support/api-client.ts';
import { type ServerOptions, type ServerProcess, startServer } from '../support/server-process.ts';
import { Ledger } from './ledger.ts';
import { killGroups, processesIn } from './processes.ts';
import { openRecords, type Records } from './records.ts';

const TOKEN = 'glpat-crash-test-token-000000';

/** One project that writers work on. */
export interface Site {
  id: number;
  fullPath: string;
  /** Folder of its repository. */
  dir: string;
  ledger: Ledger;
}

/** An answer that says no, or none, from a server that was not killed. */
export class Refused extends Error {
  override name = 'Refused';
}

/** The server under test with its data folder, over all its lives. */
export class World {
  readonly folder: string;
  readonly dataDir: string;
  readonly token = TOKEN;
  readonly sites: Site[] = [];
  readonly records: Records;
  readonly #settings: Record<string, string>;
  #server: ServerProcess | undefined;
  #api: Call | undefined;
  /** Whether the kill has been decided, so that a request may go without an answer. */
  killed = false;

  /**
   * @param folder where everything is kept
   * @param databaseUrl a PostgreSQL database of its own; null for SQLite
   */
  constructor(folder: string, databaseUrl: string | null) {
    this.folder = folder;
    this.dataDir = join(folder, 'data');
    const storages = ['default', 'second'].map((name) => `${name}=${join(this.dataDir, name)}=100`);
    this.#settings = {
      STITHY_ROOT_TOKEN: TOKEN,
      STITHY_STORAGES: storages.join(','),
      STITHY_LOG_LEVEL: 'warn',
      ...(databaseUrl === null ? {} : { STITHY_DATABASE_URL: databaseUrl }),
    };
    this.records = openRecords(join(this.dataDir, 'stithy.db'), databaseUrl);
  }

  /** Whether it has been started at least once. */
  get started(): boolean {
    return this.#server !== undefined;
  }

  get server(): ServerProcess {
    return this.#server!;
  }

  get #options(): ServerOptions {
    return { dataDir: this.dataDir, settings: this.#settings, logFile: join(this.folder, 'server.log') };
  }

  async start(): Promise<void> {
    await mkdir(this.dataDir, { recursive: true });
    this.#server = await startServer(this.#options);
    this.#api = apiClient(this.#server.url, TOKEN);
    this.killed = false;
  }

  /** Kills the server. @param withGit with the git processes that work for it */
  async kill(withGit: boolean): Promise<void> {
    const git = withGit ? processesIn(this.dataDir) : [];
    this.killed = true;
    this.server.child.kill('SIGKILL');
    killGroups(git);
    await this.server.kill();
    // What was started between the look and the kill.
    if (withGit) killGroups(processesIn(this.dataDir));
  }

  /** Starts the server and kills it while it starts, or soon after. @param moment milliseconds from its start */
  async startAndKill(moment: number, withGit: boolean): Promise<void> {
    let timer: NodeJS.Timeout | undefined;
    const starting = startServer({
      ...this.#options,
      onSpawn: (child) => {
        timer = setTimeout(() => child.kill('SIGKILL'), moment);
      },
    });
    try {
      await (await starting).kill();
    } catch {
      // It was killed before it was ready.
    } finally {
      clearTimeout(timer);
    }
    if (withGit) killGroups(processesIn(this.dataDir));
  }

  /**
   * Sends a request.
   * @returns the answer; null when the server was killed meanwhile
   * @throws Refused when a living server gives no answer, or one that is no success
   */
  async send<T = Record<string, unknown>>(method: string, path: string, body?: unknown): Promise<ApiAnswer<T> | null> {
    let answer: ApiAnswer<T>;
    try {
      answer = await this.#api!<T>(method, path, body);
    } catch (error) {
      if (this.killed) return null;
      throw new Refused(`${method} ${path}: no answer (${error})`);
    }
    if (answer.status < 300) return answer;
    throw new Refused(`${method} ${path}: ${answer.status} ${answer.text.slice(0, 500)}`);
  }

  /** The same while nothing is killed. */
  async must<T = Record<string, unknown>>(method: string, path: string, body?: unknown): Promise<T> {
    const answer = await this.send<T>(method, path, body);
    if (answer === null) throw new Refused(`${method} ${path}: the server is gone`);
    return answer.body;
  }

  /** Makes projects until `count` are there and both storages hold some; each with a first commit on `main`. */
  async makeSites(count: number): Promise<void> {
    for (let index = 0; index < 30; index += 1) {
      const { id } = await this.must<{ id: number }>('POST', '/projects', { path: `site-${index}` });
      const [row] = await this.records.query<{ repository_storage: string; disk_path: string; full_path: string }>(
        `select repository_storage, disk_path, full_path from projects where id = ${id}`,
      );
      const { repository_storage: storage, disk_path: path, full_path: fullPath } = row!;
      const dir = join(this.dataDir, storage, `${path}.git`);
      const taken = this.sites.filter((site) => site.dir.startsWith(join(this.dataDir, storage, '/'))).length;
      if (taken < count / 2) this.sites.push({ id, fullPath, dir, ledger: new Ledger() });
      if (this.sites.length === count) return;
    }
    throw new Error('no project came to one of the storages');
  }
}
