import { AsyncLocalStorage } from 'node:async_hooks';
import { SERVER } from './fair-slots.ts';
import type { RequestMemory } from './request-memory.ts';

/** For whom the work at hand is done: what is scarce is shared out by it, wherever it is used. */
export interface RequestScope {
  /** Whose share the work counts against. */
  readonly caller: string;
  /** Aborted when nobody waits for the work any more; undefined for work that is ended once it has begun. */
  readonly signal?: AbortSignal | undefined;
  /** What it holds of the memory of all; undefined for the server's own work, of which little runs at once. */
  readonly memory?: RequestMemory | undefined;
}

const storage = new AsyncLocalStorage<RequestScope>();
const OWN: RequestScope = { caller: SERVER };

/** Runs a function, and all that it starts, for a caller. */
export const inScope = <T>(scope: RequestScope, run: () => T): T => storage.run(scope, run);

/** For whom the work at hand is done; the server itself outside of requests. */
export const currentScope = (): RequestScope => storage.getStore() ?? OWN;
