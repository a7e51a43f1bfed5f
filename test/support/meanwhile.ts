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

/** Has something happen before the next transaction begins: what was checked outside of it is true no longer. */
export function beforeTransaction(app: TestApp, act: () => Promise<unknown>): void {
  const { db } = app.deps;
  const transaction = db.transaction.bind(db);
  db.transaction = () => {
    db.transaction = transaction;
    const builder = transaction();
    return new Proxy(builder, {
      get: (target, name) =>
        name === 'execute'
          ? async (work: Parameters<typeof builder.execute>[0]) => {
              await act();
              return target.execute(work);
            }
          : Reflect.get(target, name),
    });
  };
}
