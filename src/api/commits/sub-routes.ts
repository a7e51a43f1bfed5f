import { commitHistoryRoutes } from './history-routes.ts';

/** What hangs on a commit, beside the commit itself. */
export const commitSubRoutes = [...commitHistoryRoutes];
