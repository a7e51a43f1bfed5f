import { approveRoutes } from './approvals.approve-routes.ts';
import { approvalConfigRoutes } from './approvals.config-routes.ts';
import { mergeRequestRuleRoutes } from './approvals.merge-request-rule-routes.ts';
import { projectRuleRoutes } from './approvals.project-rule-routes.ts';

/** Approvals of merge requests and approval rules (part 1, section 4.4). */
export const approvalRoutes = [
  ...approvalConfigRoutes,
  ...projectRuleRoutes,
  ...mergeRequestRuleRoutes,
  ...approveRoutes,
];
