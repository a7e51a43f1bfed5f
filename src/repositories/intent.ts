import type { ChangeCause } from '../core/change-cause.ts';
import type { RefChange } from '../db/tables/ref-intents.ts';
import type { Holder } from './holder.ts';

/** What is kept beside the changes, for the events that follow from them. */
export interface ChangeContext {
  /** `job`: a push with the token of a job. */
  via: 'api' | 'git' | 'job';
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
