import { archiveRoutes } from './archive-routes.ts';
import { blobRoutes } from './blob-routes.ts';
import { historyRoutes } from './history-routes.ts';
import { archivePageRoutes } from './page-routes.ts';
import { treeRoutes } from './tree-routes.ts';

/** What a repository holds and how it came about. */
export const repositoryRoutes = [
  ...treeRoutes,
  ...blobRoutes,
  ...archiveRoutes,
  ...historyRoutes,
  ...archivePageRoutes,
];
