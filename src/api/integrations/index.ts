import { registerIntegrations } from '../../integrations/background.ts';
import { registerWebhooks } from '../../webhooks/background.ts';
import type { Area } from '../area.ts';
import { chatNameRoutes } from './chat-names/routes.ts';
import { groupHookRoutes } from './group-hooks/routes.ts';
import { hookSource } from './hooks/source.ts';
import { integrationRoutes } from './integrations/routes.ts';
import { integrationSource } from './integrations/source.ts';
import { projectHookRoutes } from './project-hooks/routes.ts';
import { slashCommandRoutes } from './slash-commands/routes.ts';
import { systemHookRoutes } from './system-hooks/routes.ts';

/** What others are told of what happens here: webhooks and integrations. */
export const integrations: Area = {
  routes: [
    ...systemHookRoutes,
    ...projectHookRoutes,
    ...groupHookRoutes,
    ...integrationRoutes,
    ...slashCommandRoutes,
    ...chatNameRoutes,
  ],
  vocabulary: async () => (await import('./vocabulary/index.ts')).vocabulary,
  register(deps) {
    registerWebhooks(deps, hookSource);
    registerIntegrations(deps, integrationSource);
  },
};
