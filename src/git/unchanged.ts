import type { Repository } from './repository.ts';
import { entryAt } from './tree.ts';

/** Where a walk along commits that leave a path as it is came to an end. */
export interface UnchangedStop {
  /** The path is the same here as where the walk began. */
  oid: string;
  /** `known`: the caller knows this commit; `changed`: it made the path what it is; `absent`: no commit ever had it. */
  why: 'known' | 'changed' | 'absent';
}

async function stateAt(repo: Repository, commit: string, path: string): Promise<string> {
  const entry = await entryAt(repo, commit, path);
  return entry === null ? '' : `${entry.mode} ${entry.oid}`;
}

/**
 * Goes back from a commit as `git log` and `git blame` do for one path: to the first parent that has the path in the
 * same state. Every commit on the way has the same last commit of the path, and the same blame.
 * @param maxSteps how many commits may be read; a step takes a fraction of a millisecond
 * @returns null where the steps did not suffice, or a commit is missing
 */
export async function walkUnchanged(
  repo: Repository,
  from: string,
  path: string,
  maxSteps: number,
  isKnown: (oid: string) => boolean,
): Promise<UnchangedStop | null> {
  let oid = from;
  let state: string | undefined;
  for (let step = 0; step < maxSteps; step += 1) {
    if (isKnown(oid)) return { oid, why: 'known' };
    const commit = await repo.objects.commit(oid);
    if (commit === null) return null;
    state ??= await stateAt(repo, oid, path);
    let next: string | undefined;
    for (const parent of commit.parents) {
      if ((await stateAt(repo, parent, path)) === state) {
        next = parent;
        break;
      }
    }
    if (next === undefined) return { oid, why: state === '' && commit.parents.length === 0 ? 'absent' : 'changed' };
    oid = next;
  }
  return null;
}
