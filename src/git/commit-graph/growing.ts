import type { GraphLayer } from './layer.ts';
import type { GrowingPathIndex } from './path-index.ts';

/** What is known so far of the path indexes that are being written in this thread, by the check sum of their layer. */
const growing = new Map<string, GrowingPathIndex>();
let next = Promise.withResolvers<void>();

const keyOf = ({ sum }: GraphLayer): string => sum.toString('latin1');

/** What is known so far of the path index of a layer; undefined where none is being written. */
export const growingIndexOf = (layer: GraphLayer): GrowingPathIndex | undefined =>
  layer.pathIndex === null ? growing.get(keyOf(layer)) : undefined;

/** Makes known how far the path index of a layer has come; null at its end. Wakes all that wait. */
export function publishGrowth(layer: GraphLayer, index: GrowingPathIndex | null): void {
  if (index === null) growing.delete(keyOf(layer));
  else growing.set(keyOf(layer), index);
  wakeAll();
}

/** Has all look again that wait for indexes. */
export function wakeAll(): void {
  const { resolve } = next;
  next = Promise.withResolvers();
  resolve();
}

/** Resolves when any index has come further, or has ended. */
export const nextGrowth = (): Promise<void> => next.promise;
