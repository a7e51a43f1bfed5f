import { rawPageRoutes } from './repository-files.page-routes.ts';
import { readRoutes } from './repository-files.read-routes.ts';
import { writeRoutes } from './repository-files.write-routes.ts';

export const repositoryFilesRoutes = [...readRoutes, ...writeRoutes, ...rawPageRoutes];
