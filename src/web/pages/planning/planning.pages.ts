import type { PageRoute } from '../../core/page.ts';
import { issuePages } from './issue.pages.ts';
import { labelPages } from './label.pages.ts';
import { mergeRequestPages } from './merge-request.pages.ts';
import { mergeRequestChangePages } from './merge-request-changes.pages.ts';
import { milestonePages } from './milestone.pages.ts';
import { newIssuePages } from './new-issue.pages.ts';
import { newMergeRequestPages } from './new-merge-request.pages.ts';

/** Pages of planning and review, in the order in which their addresses are looked up. */
export const planningPages: readonly PageRoute[] = [
  ...newIssuePages,
  ...issuePages,
  ...labelPages,
  ...milestonePages,
  ...newMergeRequestPages,
  ...mergeRequestPages,
  ...mergeRequestChangePages,
];
