import { pluck } from '../../core/pluck.ts';
import type { Project } from '../../db/tables/projects.table.ts';
import type { Deps } from '../../deps.ts';
import type { RemoteSource } from '../../git/remote/index.ts';
import type { Repository } from '../../git/repository/index.ts';
import type { HistoryRange } from '../../git/transport/index.ts';
import { lfsEnabled } from '../../repositories/repository.lfs-locks.ts';
import { type LfsObject, lfsSizes } from '../../repositories/repository.lfs-objects.ts';
import { outboundRules } from '../../settings/outbound-rules.ts';
import type { LfsTransfer } from './batch.ts';
import { LfsFailure, statusFailure } from './lfs-mirror.failure.ts';
import { LfsRemote } from './lfs-mirror.remote.ts';
import { findPointers } from './pointers.ts';
import { LFS_MS, Problems, transferAll } from './transfers.ts';

/**
 * Sends missing LFS objects of a project to another server, before refs there move to commits that need them. Not
 * possible over SSH.
 * @param range commits that the other side receives
 * @returns the failures as sentences; null if nothing is missing
 * @throws GitError, the reason of the signal; never for failures of the other server
 */
export async function sendLfsObjects(
  deps: Deps,
  project: Project,
  repo: Repository,
  source: RemoteSource,
  range: HistoryRange,
  signal: AbortSignal,
): Promise<string | null> {
  const remote = LfsRemote.of(source, await outboundRules(deps));
  if (remote === null || range.tips.length === 0 || !lfsEnabled(project) || !(await hasAny(deps, project))) return null;
  const pointers = await findPointers(deps, repo, range, signal);
  const sizes = await lfsSizes(deps, project.id, pluck(pointers, 'oid'));
  const objects = [...sizes].map(([oid, size]) => ({ oid, size }));
  const problems = new Problems('could not be sent', signal);
  const late = AbortSignal.any([signal, AbortSignal.timeout(LFS_MS)]);
  const sent = new Set<string>();
  await transferAll(remote, 'upload', objects, late, problems, async (object, transfer, signal) => {
    await sendObject(deps, remote, object, transfer, signal);
    sent.add(object.oid);
  });
  const rest = objects.map(({ oid }) => oid).filter((oid) => !sent.has(oid) && !problems.has(oid));
  if (problems.last !== null) problems.add(rest, problems.last);
  return problems.text;
}

async function hasAny(deps: Deps, { id }: Project): Promise<boolean> {
  const row = await deps.db.selectFrom('lfs_objects').select('oid').where('project_id', '=', id).limit(1).execute();
  return row.length > 0;
}

/** Sends an object that the other server requests. @throws LfsFailure, the reason of the signal */
async function sendObject(
  deps: Deps,
  remote: LfsRemote,
  { oid, size }: LfsObject,
  transfer: LfsTransfer | undefined,
  signal: AbortSignal,
): Promise<void> {
  if (transfer === undefined) throw statusFailure(404, { single: true });
  if (transfer.error !== null) throw statusFailure(transfer.error, { single: true });
  if (!transfer.actions.has('upload')) return;
  const bytes = await deps.blobs.get(oid);
  if (bytes === null) throw new LfsFailure('The content is missing on this server.', { single: true });
  try {
    await remote.upload({ ...transfer, oid, size }, bytes, signal);
  } finally {
    bytes.destroy();
  }
}
