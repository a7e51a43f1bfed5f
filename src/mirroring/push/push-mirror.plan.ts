import type { RemoteChange } from '../../git/remote-push.ts';

type Refs = ReadonlyMap<string, string>;

/** What is asked of the history of the project. */
export interface History {
  isAncestor(ancestor: string, descendant: string): Promise<boolean>;
  /** Which of these commits of the other side the default branch holds. */
  merged(oids: readonly string[]): Promise<ReadonlySet<string>>;
}

export interface PushPlan {
  changes: RemoteChange[];
  /** Full names of branches that have commits there which are not here, and were left as they are. */
  diverged: string[];
}

/**
 * What has to change on the other side: its refs become those of the project. What was deleted here is deleted there only
 * where the default branch holds it, so that no work is lost.
 * @param takes which branches are concerned
 * @param keepDiverged whether branches with commits of their own there stay
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
  // Deletions first: `feature` may make room for `feature/x`.
  changes.sort((a, b) => Number(a.new !== null) - Number(b.new !== null));
  return { changes, diverged };
}
