import { hookEndpoints } from '../hooks/hooks.endpoints.ts';

/** Webhooks of groups, for the group and all its projects. */
export const groupHookRoutes = hookEndpoints('group');
