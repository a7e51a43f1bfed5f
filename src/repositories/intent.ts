import type { ChangeCause, ChangedVia } from '../core/change-cause.ts';
import type { DomainEvents } from '../core/core.domain-events.ts';
import type { PushedRef } from '../core/event-payloads.ts';
import type { RefChange } from '../db/tables/ref-intents.table.ts';
import type { Holder } from './holder.ts';

/** A requested change of refs. Its facts never change: each stage adds its own to a new, frozen object. */
export interface RequestedChange {
  readonly holder: Holder;
  /** User who makes the change; null for a deploy token or the system. */
  readonly userId: number | null;
  readonly updates: readonly RefChange[];
  readonly via: ChangedVia;
  readonly pushOptions: readonly string[];
  /** Cause of the change. */
  readonly cause?: ChangeCause | undefined;
}

/** Stored before refs move, so that the change can be completed after a crash. */
export interface Intent extends RequestedChange {
  /** Whether the repository had no branch before. */
  readonly wasEmpty: boolean;
}

/** A change whose refs have moved, with all that its record needs from git, which a transaction must not call. */
export interface AppliedChange extends Intent {
  readonly updates: readonly PushedRef[];
  /** Default branch in events, if branches were created. */
  readonly defaultBranch: DomainEvents['push']['default_branch'];
  /** Branch that has become the default one of an empty repository. */
  readonly firstBranch: string | null;
}
