import { AsyncLocalStorage } from 'node:async_hooks';
import { SERVER } from './fair-slots.ts';
import type { FileValidators } from './file-validators.ts';
import type { RequestMemory } from './request-memory.ts';

/** Author of an action, with the name and address of that time. */
export interface Author {
  /** Id of the user; negative for others. */
  readonly id: number;
  readonly name: string;
  /** Null for others than users. */
  readonly email: string | null;
  /** Type in the platform's words. */
  readonly type: string;
}

/** A user as the author of something. */
export const authorOf = ({ id, name, email }: Omit<Author, 'type'>): Author => ({ id, name, email, type: 'User' });

/** Author and source of a request. */
export interface Origin {
  readonly author: Author;
  /** Name of the administrator who acts as the author; null without sudo. */
  readonly sudoBy: string | null;
  /** IP address of the client. */
  readonly address: string;
}

/** Context of the current work: resource limits are shared by its caller. */
export interface RequestScope {
  /** Key of the share in resource limits. */
  readonly caller: string;
  /** Aborted when the result is not needed any more; undefined for work that must be completed. */
  readonly signal?: AbortSignal | undefined;
  /** Share of the memory limit; undefined for the server's own work, of which little runs at once. */
  readonly memory?: RequestMemory | undefined;
  /** Undefined for the server's own work. */
  readonly origin?: Origin | undefined;
  /** Chain of webhook events that led to it, which its own events continue. */
  readonly hookChain?: string | undefined;
  /** Collects validators of mutable data outside the database; undefined if they are not needed. */
  readonly validators?: FileValidators | undefined;
  /** Whether it is part of a request that already counts as expensive. */
  readonly isCounted?: boolean | undefined;
  /** Whether the server has sent the request to itself: what it is part of was logged and throttled. */
  readonly isInternal?: boolean | undefined;
}

const storage = new AsyncLocalStorage<RequestScope>();
const OWN: RequestScope = { caller: SERVER };

/** Runs a function, and everything it starts, in a scope. */
export const inScope = <T>(scope: RequestScope, run: () => T): T => storage.run(scope, run);

/** Runs a function, and everything it starts, as the server's own work, whoever has asked for it. */
export const inOwnScope = <T>(run: () => T): T => storage.run(OWN, run);

/** The current scope; that of the server outside of requests. */
export const currentScope = (): RequestScope => storage.getStore() ?? OWN;
