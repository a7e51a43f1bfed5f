import { hookEndpoints } from '../hooks/hooks.endpoints.ts';

/** Webhooks of projects. */
export const projectHookRoutes = hookEndpoints('project');
