import { approveRoutes } from './approvals.approve-routes.ts';
import { approvalConfigRoutes } from './approvals.config-routes.ts';
import { mergeRequestRuleRoutes } from './approvals.merge-request-rule-routes.ts';
import { projectRuleRoutes } from './approvals.project-rule-routes.ts';

/** Approvals of merge requests and who has to give them (part 1, section 4.4). */
export const approvalRoutes = [
  ...approvalConfigRoutes,
  ...projectRuleRoutes,
  ...mergeRequestRuleRoutes,
  ...approveRoutes,
];
