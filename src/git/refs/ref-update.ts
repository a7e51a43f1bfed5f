import { forEachWithConcurrency } from '../../core/concurrency.ts';
import { GitError, isOid, isValidRefName } from '../common/index.ts';
import type { ObjectReader } from '../objects/index.ts';
import { HEADS } from './ref-folders.ts';

export interface RefUpdate {
  /** Full name below `refs/`. */
  ref: string;
  /** Expected current id; null: it must not exist; undefined: any. */
  old?: string | null | undefined;
  /** New id; null deletes the reference. */
  new: string | null;
}

const MAX_UPDATES = 100_000;
/** Number of objects checked concurrently. */
const PARALLEL = 32;

/** @throws GitError `invalid` for updates that cannot form a transaction */
export function checkUpdates(updates: readonly RefUpdate[]): void {
  if (updates.length > MAX_UPDATES) throw new GitError('invalid', 'too many updates in one transaction');
  const names = new Set<string>();
  for (const update of updates) {
    if (!isValidRefName(update.ref)) throw new GitError('invalid', 'not a valid reference name');
    for (const oid of [update.old, update.new]) {
      if (typeof oid === 'string' && (!isOid(oid) || /^0+$/.test(oid)))
        throw new GitError('invalid', 'not an object id');
    }
    if (update.new === null && update.old === null)
      throw new GitError('invalid', 'cannot delete a ref that must not exist');
    if (names.has(update.ref)) throw new GitError('invalid', `multiple updates of ${update.ref}`);
    names.add(update.ref);
  }
}

/** Parent names of a reference, such as `refs/heads/a` of `refs/heads/a/b`. */
export function* namesAbove(ref: string): Generator<string> {
  for (let at = ref.lastIndexOf('/'); at > 'refs'.length; at = ref.lastIndexOf('/', at - 1)) yield ref.slice(0, at);
}

/**
 * Checks that the new objects exist, and that branches point to commits.
 * @throws GitError `invalid` if not, `corrupt` for a damaged object
 */
export async function checkTargets(objects: ObjectReader, updates: readonly RefUpdate[]): Promise<void> {
  const forBranch = new Map<string, boolean>();
  for (const { ref, new: oid } of updates) {
    if (oid !== null) forBranch.set(oid, forBranch.get(oid) === true || ref.startsWith(HEADS));
  }
  await forEachWithConcurrency([...forBranch], PARALLEL, null, ([oid, branch]) => checkTarget(objects, oid, branch));
}

async function checkTarget(objects: ObjectReader, oid: string, branch: boolean): Promise<void> {
  const type = await objects.typeOnDisk(oid);
  if (branch && type !== 'commit') throw new GitError('invalid', `a branch must point to a commit: ${oid}`);
  if (type === null) throw new GitError('invalid', `nonexistent object ${oid}`);
}
