import { registerIntegrations } from '../../integrations/integrations.background.ts';
import { registerWebhooks } from '../../webhooks/webhooks.background.ts';
import type { Area } from '../area.ts';
import { chatNameRoutes } from './chat-names/chat-names.routes.ts';
import { hookRoutes } from './hooks/hooks.routes.ts';
import { integrationRoutes } from './integrations/integrations.routes.ts';
import { hookSource, integrationSource } from './payloads/hook-events.ts';
import { slashCommandRoutes } from './slash-commands/slash-commands.routes.ts';

/** Webhooks and integrations. */
export const integrations: Area = {
  routes: [...hookRoutes, ...integrationRoutes, ...slashCommandRoutes, ...chatNameRoutes],
  vocabulary: async () => (await import('./vocabulary/index.ts')).vocabulary,
  register(deps) {
    registerWebhooks(deps, hookSource);
    registerIntegrations(deps, integrationSource);
  },
};
