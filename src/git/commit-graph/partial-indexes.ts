import type { GraphLayer } from './commit-graph.layer.ts';
import type { PartialPathIndex } from './path-index.ts';

/** What is known so far of the path indexes that are being written in this thread, by the check sum of their layer. */
const growing = new Map<string, PartialPathIndex>();
/** What is waited for: layers, and repositories by their directories. */
const waiting = new Map<string, PromiseWithResolvers<void>>();

/** By which a layer's index is known; the same wherever the file of the layer lies. */
const keyOf = ({ sum }: GraphLayer): string => sum.toString('latin1');

/** What is known so far of the path index of a layer; undefined where none is being written. */
export const partialIndexOf = (layer: GraphLayer): PartialPathIndex | undefined =>
  layer.pathIndex === null ? growing.get(keyOf(layer)) : undefined;

/** Makes known how far the path index of a layer has come; null at its end. Wakes all that wait for it. */
export function publishPartialIndex(layer: GraphLayer, index: PartialPathIndex | null): void {
  const key = keyOf(layer);
  if (index === null) growing.delete(key);
  else growing.set(key, index);
  wakeWaiters(key);
}

/** Has all look again that wait for the graph of a repository, or for a layer. */
export function wakeWaiters(key: string): void {
  const waited = waiting.get(key);
  waiting.delete(key);
  waited?.resolve();
}

/**
 * Resolves when something comes further that is being written; undefined where nothing is.
 * @param layers whose indexes may be
 * @param dir of a repository whose graph is
 */
export function nextPartialIndex(layers: readonly GraphLayer[], dir: string | null): Promise<void> | undefined {
  // Each of these is woken at its end at the latest.
  const keys = layers.filter((layer) => partialIndexOf(layer) !== undefined).map(keyOf);
  if (dir !== null) keys.push(dir);
  if (keys.length === 0) return undefined;
  return Promise.race(
    keys.map((key) => {
      const waited = waiting.get(key) ?? Promise.withResolvers<void>();
      waiting.set(key, waited);
      return waited.promise;
    }),
  );
}
