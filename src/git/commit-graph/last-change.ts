import { emptyTreeLike } from '../arguments.ts';
import type { CommitGraph } from './commit-graph.ts';
import type { KnownState, PathChanges } from './path-changes.ts';

/** So many merges are passed at once, each by looks through all changes of the path. */
const MAX_STEPS = 50;

/** A folder without anything in it is nothing to git. */
const isNothing = (state: KnownState | null): state is null => state === null || state.oid === emptyTreeLike(state.oid);

function areSame(one: KnownState | null, other: KnownState | null): boolean {
  if (isNothing(one) || isNothing(other)) return isNothing(one) && isNothing(other);
  return one.mode === other.mode && one.oid === other.oid;
}

/**
 * The commit by which a path became what it is: git goes back from parent to parent that has the same there, the first of them. Reads
 * nothing.
 * @param position of a commit of which the changes are known
 * @returns null where no commit ever touched the path; undefined where it takes longer to find
 */
export function lastChange(graph: CommitGraph, changes: PathChanges, position: number): number | null | undefined {
  const stateOf = (commit: number) => changes.stateAt(graph.lastOfFirstParents(commit, changes)!);
  let at = position;
  for (let steps = 0; steps < MAX_STEPS; steps += 1) {
    const changed = graph.lastOfFirstParents(at, changes);
    if (changed === null) return undefined;
    if (!changes.has(changed)) return null;
    const state = changes.stateAt(changed);
    // What became nothing may have been nothing before: an empty folder.
    if (!isNothing(state) && !graph.isMerge(changed)) return changed;
    const parents = graph.parents(changed);
    if (parents.length === 0) return isNothing(state) ? null : changed;
    const same = parents.find((parent) => areSame(state, stateOf(parent)));
    if (same === undefined) return changed;
    at = same;
  }
  return undefined;
}
