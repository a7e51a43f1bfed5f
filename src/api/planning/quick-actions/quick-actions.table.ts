import { dateActions } from './actions/date-actions.ts';
import { issueActions } from './actions/issue-actions.ts';
import { labelActions } from './actions/label-actions.ts';
import { linkActions } from './actions/link-actions.ts';
import { mergeRequestActions } from './actions/merge-request-actions.ts';
import { milestoneActions } from './actions/milestone-actions.ts';
import { moveActions } from './actions/move-actions.ts';
import { assigneeActions, reviewerActions } from './actions/people-actions.ts';
import { personalActions } from './actions/personal-actions.ts';
import { repositoryActions } from './actions/repository-actions.ts';
import { reviewActions } from './actions/review-actions.ts';
import { stateActions } from './actions/state-actions.ts';
import { timeActions } from './actions/time-actions.ts';
import { unsupportedActions } from './actions/unsupported-actions.ts';
import type { QuickAction } from './quick-actions.action.ts';

const ALL: readonly QuickAction[] = [
  ...stateActions,
  ...labelActions,
  ...assigneeActions,
  ...milestoneActions,
  ...dateActions,
  ...timeActions,
  ...personalActions,
  ...issueActions,
  ...linkActions,
  ...moveActions,
  ...reviewerActions,
  ...mergeRequestActions,
  ...reviewActions,
  ...repositoryActions,
  ...unsupportedActions,
];

/** All quick actions by name and alias. */
export const QUICK_ACTIONS: ReadonlyMap<string, QuickAction> = new Map(
  ALL.flatMap((action) => [action.name, ...(action.aliases ?? [])].map((name) => [name, action] as const)),
);
