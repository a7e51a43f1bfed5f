import { encodeBytes } from '../bytes.ts';
import { type KnownState, PathChanges } from '../commit-graph/path-changes.ts';
import type { History } from './history.ts';

/**
 * The tree of a commit out of the commit-graph.
 * @returns undefined for what the graph does not have
 */
export async function treeInGraph(history: History, oid: string): Promise<string | undefined> {
  const graph = await history.graph();
  const position = graph?.find(oid) ?? -1;
  return position < 0 ? undefined : graph!.tree(position);
}

/**
 * What a commit has at a path, by the path indexes of the commit-graph: what the last change along first parents left there. Reads
 * neither the commit nor a tree.
 * @param path without a slash at either end
 * @returns null for nothing; undefined where they do not tell, or trees tell it sooner
 */
export async function stateInGraph(
  history: History,
  oid: string,
  path: string,
): Promise<KnownState | null | undefined> {
  const graph = await history.graph();
  const position = graph?.find(oid) ?? -1;
  if (position < 0) return undefined;
  const changes = await PathChanges.ofFew(graph!.layers, encodeBytes(path));
  if (changes === null || position >= changes.limit) return undefined;
  const last = graph!.lastChange(position, changes);
  return last === null ? undefined : changes.stateAt(last);
}
