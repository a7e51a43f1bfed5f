import type { RemoteChange } from '../../git/remote/index.ts';

type Refs = ReadonlyMap<string, string>;

/** Queries about the history of the project. */
export interface History {
  isAncestor(ancestor: string, descendant: string): Promise<boolean>;
  /** Which of these remote commits are in the default branch. */
  merged(oids: readonly string[]): Promise<ReadonlySet<string>>;
}

export interface PushPlan {
  changes: RemoteChange[];
  /** Full names of branches with remote commits that are missing here; they were left unchanged. */
  diverged: string[];
}

/**
 * Plans the changes on the other side, so that its refs match those of the project. A ref deleted here is deleted there
 * only if the default branch contains it, so that no work is lost.
 * @param takes selects the mirrored branches
 * @param keepDiverged whether to keep branches with their own commits there
 */
export async function planPush(
  local: Refs,
  remote: Refs,
  takes: (branch: string) => boolean,
  keepDiverged: boolean,
  history: History,
): Promise<PushPlan> {
  const concerns = (ref: string) => !ref.startsWith('refs/heads/') || takes(ref.slice('refs/heads/'.length));
  const changes: RemoteChange[] = [];
  const diverged: string[] = [];
  for (const [ref, oid] of local) {
    const there = remote.get(ref) ?? null;
    if (there === oid || !concerns(ref)) continue;
    const moves = there !== null && keepDiverged && ref.startsWith('refs/heads/');
    if (moves && !(await history.isAncestor(there, oid))) diverged.push(ref);
    else changes.push({ ref, old: there, new: oid });
  }
  const gone = [...remote].filter(([ref]) => !local.has(ref) && concerns(ref));
  if (gone.length > 0) {
    const merged = await history.merged(gone.map(([, oid]) => oid));
    for (const [ref, oid] of gone) if (merged.has(oid)) changes.push({ ref, old: oid, new: null });
  }
  // Deletions come first: removing `feature` may allow `feature/x`.
  changes.sort((a, b) => Number(a.new !== null) - Number(b.new !== null));
  return { changes, diverged };
}
