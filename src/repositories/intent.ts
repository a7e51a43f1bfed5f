import type { ChangeCause, ChangedVia } from '../core/change-cause.ts';
import type { RefChange } from '../db/tables/ref-intents.table.ts';
import type { Holder } from './holder.ts';

/** Context of a change for the resulting events. */
export interface ChangeContext {
  via: ChangedVia;
  pushOptions: readonly string[];
  /** Cause of the change. */
  cause?: ChangeCause | undefined;
}

/** Stored before refs move, so that the change can be completed after a crash. */
export interface Intent extends ChangeContext {
  holder: Holder;
  userId: number | null;
  updates: readonly RefChange[];
  /** Whether the repository had no branch before. */
  wasEmpty: boolean;
}
