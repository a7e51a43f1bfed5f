import { existsSync, globSync, readdirSync } from 'node:fs';
import { basename, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { World } from '../world.ts';
import { inspect } from './git.ts';

const WAIT_MS = 50;
const MAX_WAITS = 600;
const LEFTOVER = /\.lock$|^tmp_|^incoming-|^\.tmp-|\.temp$/;

/** A project, a snippet or a wiki, with where its repository lies. */
interface HolderRow {
  name: string;
  repository_storage: string;
  disk_path: string;
}

/** Waits for a condition. @returns whether it came true in 30 s */
async function comesTrue(condition: () => Promise<boolean>): Promise<boolean> {
  for (let waits = 0; waits < MAX_WAITS; waits += 1) {
    if (await condition()) return true;
    await sleep(WAIT_MS);
  }
  return false;
}

/** Waits for the clean-up of this start, and looks for locks and temporary files that it has left. */
export async function findLeftovers(world: World): Promise<string[]> {
  const [sweep] = await world.records.query<{ id: number | null }>(
    `select max(id) as id from jobs where kind = 'sweep-repositories'`,
  );
  const swept = await comesTrue(
    async () => (await world.records.query(`select id from jobs where id = ${sweep?.id ?? 0}`)).length === 0,
  );
  if (!swept) return ['the clean-up of this start does not end'];
  let left: string[] = [];
  const clean = async () => {
    left = (await holderRows(world)).flatMap((row) => leftoversIn(folderOf(world, row)));
    return left.length === 0;
  };
  // Upkeep of a repository may hold a lock for a moment.
  return (await comesTrue(clean)) ? [] : left.map((path) => `left over: ${path}`);
}

function leftoversIn(dir: string): string[] {
  const leftovers = globSync('**/*', { cwd: dir }).filter((path) => LEFTOVER.test(basename(path)));
  return leftovers.map((path) => join(dir, path));
}

const LOOKS = 10;

/**
 * `git fsck`. The server's upkeep may remove loose objects that it has packed while fsck walks over them: only then it
 * looks again, for what is really lost stays so.
 */
async function inspectObjects(dir: string) {
  for (let look = 1; ; look += 1) {
    const result = await inspect(dir, ['fsck', '--full', '--strict', '--no-dangling', '--no-progress']);
    if (look === LOOKS || !/unable to (?:mmap|open) .*No such file/.test(result.stderr)) return result;
    await new Promise((resolve) => setTimeout(resolve, 500));
  }
}

/** `git fsck` of every repository, holders without one, and the database's own checks. */
export async function findDamage(world: World): Promise<string[]> {
  const problems: string[] = [];
  for (const holder of await holderRows(world)) {
    const dir = folderOf(world, holder);
    if (!existsSync(dir)) {
      problems.push(`${holder.name} has no repository`);
      continue;
    }
    const { code, text, stderr } = await inspectObjects(dir);
    if (code !== 0 || text.trim() !== '') problems.push(`fsck of ${holder.name}: ${text}${stderr}`);
  }
  return [...problems, ...(await world.records.damage()).map((text) => `database: ${text}`)];
}

/** Folders of repositories that no project, snippet or wiki has, nor a job that waits to remove them. */
export async function findOrphans(world: World): Promise<string[]> {
  let orphans: string[] = [];
  const none = async () => {
    const rows = await holderRows(world);
    const jobs = await world.records.query<{ payload: string }>(
      `select payload from jobs where kind = 'repository.discard'`,
    );
    const known = [
      ...rows.map(({ disk_path }) => basename(disk_path)),
      ...jobs.map(({ payload }) => basename((JSON.parse(payload) as { diskPath: string }).diskPath)),
    ];
    orphans = repositoryFolders(world.dataDir).filter((path) => !known.some((name) => path.includes(name)));
    return orphans.length === 0;
  };
  return (await comesTrue(none)) ? [] : orphans.map((path) => `a folder without holder: ${path}`);
}

/** Also those that are half made or half removed, whose names begin with a dot. */
function repositoryFolders(dataDir: string): string[] {
  return globSync('{default,second}/@hashed/*/*', { cwd: dataDir }).flatMap((parent) =>
    readdirSync(join(dataDir, parent)).map((name) => join(parent, name)),
  );
}

const folderOf = (world: World, { repository_storage, disk_path }: HolderRow): string =>
  join(world.dataDir, repository_storage, `${disk_path}.git`);

const holderRows = (world: World): Promise<HolderRow[]> =>
  world.records.query<HolderRow>(`
    select full_path as name, repository_storage, disk_path from projects
    union all select 'snippet ' || id, repository_storage, disk_path from snippets
    union all select 'wiki ' || id, repository_storage, disk_path from wikis`);
