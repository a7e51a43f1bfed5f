import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { pluck } from '../core/pluck.ts';
import type { Db } from '../db/db.schema.ts';
import type { Deps } from '../deps.ts';
import { encodeBytes } from '../git/common/index.ts';
import { syncPath, writeSynced } from '../git/files/index.ts';
import { runGit } from '../git/process/index.ts';
import type { HolderType } from '../repositories/holder.ts';
import { enqueueMaintenance } from '../repositories/repository.maintenance.ts';
import type { RepositoryLine } from './layout.ts';

/** Refs that follow rows of merge requests, so that the restored database decides about them. */
const OF_MERGE_REQUEST = /^refs\/merge-requests\/(\d+)\//;

type Refs = Map<string, string>;

/**
 * Restores configuration, refs and HEAD of a repository whose objects were copied, durably, and requests its
 * maintenance.
 * @param db the transaction that loads the database
 */
export async function moveIntoPlace(
  db: Db,
  work: Pick<Deps, 'jobs' | 'clock'>,
  dir: string,
  line: RepositoryLine,
): Promise<void> {
  for (const folder of ['objects/info', 'objects/pack', 'refs/heads', 'refs/tags', 'info']) {
    await mkdir(join(dir, folder), { recursive: true, mode: 0o700 });
  }
  await writeSynced(join(dir, 'config'), line.config);
  await writeSynced(join(dir, 'HEAD'), line.head);
  const refs: Refs = new Map(line.refs);
  const [type, number] = line.holder.split(':') as [HolderType, string];
  const id = Number(number);
  if (type === 'project') await followMergeRequests(db, id, refs, dir);
  await enqueueMaintenance(work, db, { type, id }, 0);
  await writeSynced(join(dir, 'packed-refs'), packedText(refs));
  await syncPath(dir);
}

/** Sets merge request refs to the heads in the database, because their changes are not recorded in events. */
async function followMergeRequests(db: Db, projectId: number, refs: Refs, dir: string): Promise<void> {
  const rows = await db
    .selectFrom('merge_requests')
    .select(['iid', 'head_sha'])
    .where('project_id', '=', projectId)
    .execute();
  const known = new Set(rows.map(({ iid }) => String(iid)));
  for (const name of refs.keys()) {
    const iid = OF_MERGE_REQUEST.exec(name)?.[1];
    if (iid !== undefined && !known.has(iid)) refs.delete(name);
  }
  const moved = rows.flatMap(({ iid, head_sha: head }) => {
    const ref = `refs/merge-requests/${iid}/head`;
    return head === null || refs.get(ref) === head ? [] : [{ ref, head }];
  });
  if (moved.length === 0) return;
  const existing = await objectsAmong(dir, pluck(moved, 'head'));
  // A head that was not fetched from the fork yet is fetched when the merge request is next used.
  for (const { ref, head } of moved) if (existing.has(head)) refs.set(ref, head);
}

async function objectsAmong(dir: string, oids: readonly string[]): Promise<Set<string>> {
  const { stdout } = await runGit(['cat-file', '--batch-check=%(objectname)'], {
    gitDir: dir,
    input: `${oids.join('\n')}\n`,
  });
  return new Set(stdout.toString('latin1').split('\n'));
}

function packedText(refs: Refs): Buffer {
  const lines = [...refs]
    .map(([name, oid]) => ({ oid, name: encodeBytes(name) }))
    .sort((a, b) => Buffer.compare(a.name, b.name))
    .map(({ oid, name }) => Buffer.concat([Buffer.from(`${oid} `), name, Buffer.from('\n')]));
  return Buffer.concat([Buffer.from('# pack-refs with: sorted \n'), ...lines]);
}
