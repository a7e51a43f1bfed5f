import type { TestApp } from './app.ts';

/**
 * Has something happen while the next work waits for its turn in the queue of a repository or merge request: what was
 * checked before it is true no longer.
 */
export function meanwhile(app: TestApp, act: () => Promise<unknown>): void {
  const { writes } = app.deps;
  const { run } = writes;
  writes.run = async (key, work) => {
    writes.run = run;
    await act();
    return run.call(writes, key, work) as ReturnType<typeof work>;
  };
}
