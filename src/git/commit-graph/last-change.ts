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
  let at = position;
  for (let steps = 0; steps < MAX_STEPS; steps += 1) {
    const changed = lastKnown(graph, changes, at);
    if (changed === undefined) return undefined;
    if (!changes.has(changed)) return null;
    const state = changes.stateAt(changed);
    // What became nothing may have been nothing before: an empty folder.
    if (!isNothing(state) && !graph.isMerge(changed)) return changed;
    const parents = graph.parents(changed);
    if (parents.length === 0) return isNothing(state) ? null : changed;
    const same = sameParent(graph, changes, parents, state);
    if (same === null) return changed;
    if (same === undefined) return undefined;
    at = same;
  }
  return undefined;
}

/**
 * The commit that changed a path last along first parents, or the end of them. Those between are of higher generations, so that all of them
 * are known where that one is.
 * @returns undefined where that is not known, or too many changed it
 */
export function lastKnown(graph: CommitGraph, changes: PathChanges, position: number): number | undefined {
  const last = graph.lastOfFirstParents(position, changes);
  return last === null || graph.generation(last) < changes.floor ? undefined : last;
}

/** The first parent that has a state; null where none has, undefined where that is not known. */
function sameParent(
  graph: CommitGraph,
  changes: PathChanges,
  parents: readonly number[],
  state: KnownState | null,
): number | null | undefined {
  for (const parent of parents) {
    const last = lastKnown(graph, changes, parent);
    if (last === undefined) return undefined;
    if (areSame(state, changes.stateAt(last))) return parent;
  }
  return null;
}
