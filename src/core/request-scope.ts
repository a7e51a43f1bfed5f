import { AsyncLocalStorage } from 'node:async_hooks';
import { SERVER } from './fair-slots.ts';
import type { FileValidators } from './file-validators.ts';
import type { RequestMemory } from './request-memory.ts';

/** Who does something, as it is told later: as they were when they did it. */
export interface Author {
  /** Of a user; below zero for whoever is none. */
  readonly id: number;
  readonly name: string;
  /** Null for whoever is no user. */
  readonly email: string | null;
  /** What they are, in the words of the platform. */
  readonly type: string;
}

/** Who asks for the work at hand, and from where. */
export interface Origin {
  readonly author: Author;
  /** Name of the administrator who acts as the author; null where nobody does. */
  readonly sudoBy: string | null;
  /** IP address that the request came from. */
  readonly address: string;
}

/** For whom the work at hand is done: what is scarce is shared out by it, wherever it is used. */
export interface RequestScope {
  /** Whose share the work counts against. */
  readonly caller: string;
  /** Aborted when nobody waits for the work any more; undefined for work that is ended once it has begun. */
  readonly signal?: AbortSignal | undefined;
  /** What it holds of the memory of all; undefined for the server's own work, of which little runs at once. */
  readonly memory?: RequestMemory | undefined;
  /** Undefined for the server's own work. */
  readonly origin?: Origin | undefined;
  /** Which webhook events led to it, as whoever was told of them says: what follows belongs to the same chain. */
  readonly hookChain?: string | undefined;
  /** Is told of all mutable things outside the database that are looked at; undefined where nobody wants to know. */
  readonly validators?: FileValidators | undefined;
  /** Whether it is part of a request that counts as an expensive one already. */
  readonly isCounted?: boolean | undefined;
}

const storage = new AsyncLocalStorage<RequestScope>();
const OWN: RequestScope = { caller: SERVER };

/** Runs a function, and all that it starts, for a caller. */
export const inScope = <T>(scope: RequestScope, run: () => T): T => storage.run(scope, run);

/** For whom the work at hand is done; the server itself outside of requests. */
export const currentScope = (): RequestScope => storage.getStore() ?? OWN;
