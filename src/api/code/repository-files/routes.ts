import { rawPageRoutes } from './page-routes.ts';
import { readRoutes } from './read-routes.ts';
import { writeRoutes } from './write-routes.ts';

export const repositoryFilesRoutes = [...readRoutes, ...writeRoutes, ...rawPageRoutes];
