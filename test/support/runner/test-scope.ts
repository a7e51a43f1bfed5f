/**
 * Loaded before `node:test`. To know to which test an error or a nested test belongs, it has node call it for every promise, at its
 * beginning and when it is collected: a quarter of the processor time of these tests. Here a test's scope is an async context, which
 * costs nothing: `node:test` gets what it takes from `async_hooks` in that form.
 */
import asyncHooks, { AsyncLocalStorage, AsyncResource, type HookCallbacks } from 'node:async_hooks';

/** Id of the test or suite, or of the reporter, that is at work. */
const scope = new AsyncLocalStorage<number>();
const hooks: HookCallbacks[] = [];

/** Tests and suites are such resources. */
class ScopedResource extends AsyncResource {
  constructor(type: string, options?: ConstructorParameters<typeof AsyncResource>[1]) {
    super(type, options);
    for (const { init } of hooks) init?.(this.asyncId(), type, scope.getStore() ?? 0, this);
  }

  override runInAsyncScope<This, Result>(
    fn: (this: This, ...args: unknown[]) => Result,
    thisArg?: This,
    ...args: unknown[]
  ): Result {
    return super.runInAsyncScope(() => scope.run(this.asyncId(), () => fn.apply(thisArg as This, args)));
  }
}

const { createHook, executionAsyncId } = asyncHooks;
Object.assign(asyncHooks, {
  AsyncResource: ScopedResource,
  executionAsyncId: () => scope.getStore() ?? 0,
  createHook: (callbacks: HookCallbacks) => ({
    enable: () => hooks.push(callbacks),
    disable: () => hooks.splice(hooks.indexOf(callbacks), 1),
  }),
});
// It keeps what it finds there now.
process.getBuiltinModule('node:test');
Object.assign(asyncHooks, { AsyncResource, executionAsyncId, createHook });
