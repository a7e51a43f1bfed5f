import { setImmediate } from 'node:timers/promises';
import {
  type CommitGraph,
  graphStateOf,
  type History,
  type KnownState,
  lastKnown,
  type PathChanges,
} from '../commit-graph/index.ts';

/** The commits that `git blame` visits for a file. */
export interface FileHistory {
  /** The newest of them. */
  head: string;
  /** Parents of some of them that lack the file or have it under another name. */
  before: string[];
  /**
   * Lines `<commit> <parent>...` of the history, without the commits that leave the file unchanged. Commits in `before`
   * have no parents.
   */
  lines: string[];
}

const FILE = /^10/;
const LINK = /^12/;
/** Maximum number of merges traversed at once that leave the file as in one of their parents. */
const MAX_STEPS = 200;
/** Number of commits processed before yielding. */
const STEPS = 100;

/** A commit that changed a file against all of its parents. */
interface Change {
  commit: number;
  parents: { position: number; hasFile: boolean }[];
}

const isSameType = (one: KnownState, other: KnownState): boolean =>
  [FILE, LINK].some((type) => type.test(one.mode) && type.test(other.mode));

/** Content of a commit at the path; undefined if it is unknown. */
function stateOf(graph: CommitGraph, changes: PathChanges, position: number): KnownState | null | undefined {
  const last = lastKnown(graph, changes, position);
  return last === undefined ? undefined : changes.stateAt(last);
}

/**
 * The commit that gave a file its content in another commit: git follows the first parent with the same content.
 * @returns undefined if it is unknown, or the path is not a file
 */
function changeOf(graph: CommitGraph, changes: PathChanges, position: number): Change | undefined {
  let at = position;
  for (let steps = 0; steps < MAX_STEPS; steps += 1) {
    const commit = lastKnown(graph, changes, at);
    const own = commit === undefined ? undefined : changes.stateAt(commit);
    if (commit === undefined || own == null || !isSameType(own, own)) return undefined;
    const parents: Change['parents'] = [];
    let same: number | undefined;
    for (const position of graph.parents(commit)) {
      const state = stateOf(graph, changes, position);
      if (state === undefined) return undefined;
      const hasFile = state !== null && isSameType(own, state);
      parents.push({ position, hasFile });
      if (hasFile && state.oid === own.oid) same ??= position;
    }
    if (same === undefined) return { commit, parents };
    at = same;
  }
  return undefined;
}

/**
 * History of a file according to the path indexes of the commit-graph. Reads neither commits nor trees.
 * @param path without leading and trailing slashes
 * @returns undefined if the indexes do not cover it, or if a commit may have two previous names
 */
export async function fileHistory(history: History, oid: string, path: string): Promise<FileHistory | undefined> {
  const known = await graphStateOf(history, oid, path);
  if (known === null || known === 'many') return undefined;
  const { graph, changes, position } = known;
  const head = changeOf(graph, changes, position);
  if (head === undefined) return undefined;
  const seen = new Set([head.commit]);
  const waiting = [head];
  const lines: string[] = [];
  const without = new Set<number>();
  for (let change = waiting.pop(); change !== undefined; change = waiting.pop()) {
    if (lines.length % STEPS === STEPS - 1) await setImmediate();
    const named = new Set([change.commit]);
    for (const { position: parent, hasFile } of change.parents) {
      if (!hasFile && without.has(parent)) return undefined;
      if (!hasFile) without.add(parent);
      const earlier = hasFile ? changeOf(graph, changes, parent) : null;
      if (earlier === undefined) return undefined;
      named.add(earlier?.commit ?? parent);
      if (earlier === null || seen.has(earlier.commit)) continue;
      seen.add(earlier.commit);
      waiting.push(earlier);
    }
    lines.push([...named].map((each) => graph.oid(each)).join(' '));
  }
  const before = [...without].map((each) => graph.oid(each));
  return { head: graph.oid(head.commit), before, lines: [...lines, ...before] };
}
