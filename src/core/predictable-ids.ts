import { AsyncLocalStorage } from 'node:async_hooks';
import { createHash, randomBytes } from 'node:crypto';

const sources = new AsyncLocalStorage<() => string>();

/** A new id of 40 hexadecimal digits that nobody has: a random one, except in `withPredictableIds`. Not for secrets. */
export const newHexId = (): string => sources.getStore()?.() ?? randomBytes(20).toString('hex');

/**
 * Runs a function in which the ids that are usually random follow from a text: the same work makes the same ids.
 * @param origin must differ from that of all other such work on the same data
 */
export function withPredictableIds<T>(origin: string, run: () => Promise<T>): Promise<T> {
  let made = 0;
  const next = () => {
    made += 1;
    return createHash('sha1').update(`${origin}\0${made}`).digest('hex');
  };
  return sources.run(next, run);
}
