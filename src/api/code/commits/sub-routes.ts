import { commitHistoryRoutes } from './history-routes.ts';
import { commitPickRoutes } from './pick-routes.ts';

/** What hangs on a commit, beside the commit itself. */
export const commitSubRoutes = [...commitHistoryRoutes, ...commitPickRoutes];
