import { archiveRoutes } from './repositories.archive-routes.ts';
import { blobRoutes } from './repositories.blob-routes.ts';
import { historyRoutes } from './repositories.history-routes.ts';
import { archivePageRoutes } from './repositories.page-routes.ts';
import { treeRoutes } from './repositories.tree-routes.ts';

/** Contents and history of repositories. */
export const repositoryRoutes = [
  ...treeRoutes,
  ...blobRoutes,
  ...archiveRoutes,
  ...historyRoutes,
  ...archivePageRoutes,
];
