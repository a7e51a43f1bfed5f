import type { QuickAction } from './action.ts';
import { assigneeActions } from './actions/assignee-actions.ts';
import { dateActions } from './actions/date-actions.ts';
import { labelActions } from './actions/label-actions.ts';
import { milestoneActions } from './actions/milestone-actions.ts';
import { stateActions } from './actions/state-actions.ts';

const ALL: readonly QuickAction[] = [
  ...stateActions,
  ...labelActions,
  ...assigneeActions,
  ...milestoneActions,
  ...dateActions,
];

/** Every quick action by its names. */
export const QUICK_ACTIONS: ReadonlyMap<string, QuickAction> = new Map(
  ALL.flatMap((action) => [action.name, ...(action.aliases ?? [])].map((name) => [name, action] as const)),
);
