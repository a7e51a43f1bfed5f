import { registerIntegrations } from '../../integrations/integrations.background.ts';
import { registerWebhooks } from '../../webhooks/webhooks.background.ts';
import type { Area } from '../area.ts';
import { chatNameRoutes } from './chat-names/chat-names.routes.ts';
import { groupHookRoutes } from './group-hooks/group-hooks.routes.ts';
import { hookSource } from './hooks/hooks.source.ts';
import { integrationRoutes } from './integrations/integrations.routes.ts';
import { integrationSource } from './integrations/integrations.source.ts';
import { projectHookRoutes } from './project-hooks/project-hooks.routes.ts';
import { slashCommandRoutes } from './slash-commands/slash-commands.routes.ts';
import { systemHookRoutes } from './system-hooks/system-hooks.routes.ts';

/** Webhooks and integrations. */
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
