import { rawPageRoutes } from './page-routes.ts';
import { readRoutes } from './read.ts';
import { writeRoutes } from './write.ts';

export const repositoryFilesRoutes = [...readRoutes, ...writeRoutes, ...rawPageRoutes];
