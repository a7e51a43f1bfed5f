import { approveRoutes } from './approve-routes.ts';
import { approvalConfigRoutes } from './config-routes.ts';
import { mergeRequestRuleRoutes } from './merge-request-rule-routes.ts';
import { projectRuleRoutes } from './project-rule-routes.ts';

/** Approvals of merge requests and who has to give them (part 1, section 4.4). */
export const approvalRoutes = [
  ...approvalConfigRoutes,
  ...projectRuleRoutes,
  ...mergeRequestRuleRoutes,
  ...approveRoutes,
];
