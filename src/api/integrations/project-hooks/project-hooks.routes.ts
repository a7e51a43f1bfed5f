import { hookEndpoints } from '../hooks/hooks.endpoints.ts';

/** Addresses that are told what happens in a project. */
export const projectHookRoutes = hookEndpoints('project');
