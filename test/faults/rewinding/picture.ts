import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { hash, randomInt } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Config } from '../../../src/config/config.ts';
import { connect } from '../../../src/db/database.ts';
import type { Db } from '../../../src/db/db.schema.ts';
import { RepositoryPool, Storages } from '../../../src/git/repository/index.ts';
import { allRepositories } from '../../../src/repositories/all.ts';
import { mustGit } from '../../support/git-client.ts';
import { type KnownHashes, type WholeState, wholeState } from '../../support/whole-state.ts';
import { ROOT_TOKEN } from '../lab.ts';
import { until } from '../until.ts';
import type { World, WorldProject } from './rewound-world.ts';

/** Headers of answers that are compared. */
const HEADERS = ['etag', 'x-total', 'x-next-page', 'link', 'content-type', 'content-length', 'last-modified'];

/** All that a server keeps, read past it. */
export interface Kept extends WholeState {
  /** Refs by the path of their repository. */
  refs: ReadonlyMap<string, string>;
}

/** Works with the database of a server that runs, beside it. A restore puts another file in the place of an embedded one. */
export async function beside<T>(config: Config, work: (db: Db) => Promise<T>): Promise<T> {
  const { db, close } = await connect(config.database);
  try {
    return await work(db);
  } finally {
    await close();
  }
}

/**
 * Reads all rows and files of a server that rests.
 * @param repositories how many are looked at with git as well: their refs, and the first one for damage; all without a number
 * @param known spares many looks at the same files their contents
 */
export const lookAtAll = (config: Config, repositories?: number, known?: KnownHashes): Promise<Kept> =>
  beside(config, async (db) => ({
    refs: await readRefs(config, db, repositories),
    ...(await wholeState({ config, db }, known)),
  }));

async function readRefs(config: Config, db: Db, count: number | undefined): Promise<Map<string, string>> {
  const refs = new Map<string, string>();
  if (count === 0) return refs;
  const storages = new Storages(config.storages, new RepositoryPool());
  const all: { path: string; dir: string }[] = [];
  for await (const { repository_storage, disk_path } of allRepositories(db))
    all.push({ path: disk_path, dir: storages.dirOf({ storage: repository_storage, diskPath: disk_path }) });
  await storages.pool.close();
  const from = randomInt(all.length);
  for (let nth = 0; nth < (count ?? all.length); nth += 1) {
    const { path, dir } = all[(from + nth) % all.length]!;
    refs.set(path, await mustGit(dir, ['for-each-ref']));
    if (nth > 0 && count !== undefined) continue;
    await mustGit(dir, ['fsck', '--full', '--strict', '--no-dangling']);
    await mustGit(dir, ['commit-graph', 'verify']);
  }
  return refs;
}

/** Compares what was read with what was there before. @throws AssertionError */
export function assertSame(now: Kept, before: Kept, what: string): void {
  const tell = (name: 'rows' | 'files') => {
    const [had, has] = [new Set(before[name]), new Set(now[name])];
    const [more, less] = [now[name].filter((line) => !had.has(line)), before[name].filter((line) => !has.has(line))];
    const first = (lines: readonly string[]) => lines.slice(0, 20).map((line) => line.slice(0, 300));
    const text = JSON.stringify({ more: first(more), less: first(less) }, null, 1);
    assert.ok(more.length + less.length === 0, `${what}: ${name} differ: ${text}`);
  };
  tell('rows');
  tell('files');
  assert.deepEqual([now.rows.length, now.files.length], [before.rows.length, before.files.length], what);
  for (const [path, refs] of now.refs) assert.equal(refs, before.refs.get(path), `${what}: refs of ${path}`);
}

/** Addresses of the API whose answers tell of everything. @param ids of projects */
function addresses(ids: readonly number[]): string[] {
  const ofProject = [
    ...['', '/repository/branches', '/repository/tags', '/repository/commits?all=true', '/repository/contributors'],
    ...['/repository/tree?recursive=true', '/repository/files/topic.md/raw?ref=topic', '/repository/archive.tar.gz'],
    ...['/issues', '/issues/1/notes', '/merge_requests/1', '/merge_requests/1/diffs', '/merge_requests/1/commits'],
    ...['/pipelines', '/jobs', '/packages', '/packages/1/package_files', '/hooks', '/wikis?with_content=1'],
    ...['/snippets', '/labels', '/milestones', '/events', '/members/all', '/languages', '/variables', '/forks'],
    ...['/protected_branches', '/export', '/uploads', '/registry/repositories', '/audit_events'],
  ];
  return [
    ...ids.flatMap((id) => ofProject.map((path) => `/projects/${id}${path}`)),
    ...['/projects?statistics=true', '/groups', '/users', '/runners/all', '/application/settings', '/events'],
    ...['/personal_access_tokens', '/user/keys', '/application/statistics', '/version', '/runners/1', '/jobs'],
  ].map((path) => `/api/v4${path}`);
}

/** What a server answers, by address: status, some headers, and a hash of the body. @param projects those that are asked for */
export async function answersOf(
  world: World,
  projects: readonly WorldProject[] = world.projects,
): Promise<Record<string, string>> {
  const answers: Record<string, string> = {};
  for (const path of [...addresses(projects.map(({ id }) => id)), '/-/bench/mails', '/-/bench/deliveries']) {
    const response = await fetch(`${world.url}${path}`, { headers: { 'private-token': ROOT_TOKEN } });
    const body = Buffer.from(await response.arrayBuffer());
    const headers = HEADERS.map((name) => response.headers.get(name));
    const shown = body.length < 3_000 ? body.toString('utf8') : hash('sha256', body);
    answers[path] = JSON.stringify([response.status, headers, shown]);
  }
  return answers;
}

/** Exports a project, and gives a line for each file in the archive; of packs only what refs they are for. */
export async function exportOf({ url, call, bench, projects }: World, folder: string): Promise<string[]> {
  const at = `/projects/${projects[2]!.id}/export`;
  assert.equal((await call('POST', at)).status, 202);
  await bench('GET', 'idle?timeout=30');
  await until('the export is finished', async () => (await call('GET', at)).body.export_status === 'finished');
  const answer = await fetch(`${url}/api/v4${at}/download`, { headers: { 'private-token': ROOT_TOKEN } });
  assert.equal(answer.status, 200);
  const archive = join(folder, 'export.tar.gz');
  const unpacked = join(folder, 'export');
  writeFileSync(archive, Buffer.from(await answer.arrayBuffer()));
  mkdirSync(unpacked);
  try {
    execFileSync('tar', ['-xzf', archive, '-C', unpacked]);
    const lines: string[] = [];
    for (const name of readdirSync(unpacked, { recursive: true, encoding: 'utf8' }).sort()) {
      const path = join(unpacked, name);
      if (!statSync(path).isFile()) continue;
      const isBundle = name.endsWith('.bundle');
      lines.push(
        `${name} ${isBundle ? await mustGit(folder, ['bundle', 'list-heads', path]) : hash('sha256', readFileSync(path))}`,
      );
    }
    return lines;
  } finally {
    for (const path of [archive, unpacked]) rmSync(path, { recursive: true });
  }
}
