import type { ChangeCause, ChangedVia } from '../core/change-cause.ts';
import type { RefChange } from '../db/tables/ref-intents.table.ts';
import type { Holder } from './holder.ts';

/** What is kept beside the changes, for the events that follow from them. */
export interface ChangeContext {
  via: ChangedVia;
  pushOptions: readonly string[];
  /** What else is done with the change. */
  cause?: ChangeCause | undefined;
}

/** What is stored before refs move, so that it can be finished after a crash. */
export interface Intent extends ChangeContext {
  holder: Holder;
  userId: number | null;
  updates: readonly RefChange[];
  /** Whether the repository had no branch before. */
  wasEmpty: boolean;
}
