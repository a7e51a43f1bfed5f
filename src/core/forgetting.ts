const forgets = new WeakMap<object, Set<() => void>>();

/** Stands for what all instances of this process keep together. */
export const THIS_PROCESS: object = {};

/**
 * Registers how something is dropped from memory that is no longer true once the data of an instance is replaced.
 * @param of the database handle of the instance, or `THIS_PROCESS`; what is registered lives as long as it does
 * @param forget must not throw or wait
 */
export function onForget(of: object, forget: () => void): void {
  const known = forgets.get(of);
  if (known === undefined) forgets.set(of, new Set([forget]));
  else known.add(forget);
}

/** Drops everything registered for it. It stays registered. */
export function forget(of: object): void {
  for (const one of forgets.get(of) ?? []) one();
}
