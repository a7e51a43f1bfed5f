import { hookEndpoints } from '../hooks/hooks.endpoints.ts';

/** Addresses that are told what happens in a group and in all projects below it. */
export const groupHookRoutes = hookEndpoints('group');
