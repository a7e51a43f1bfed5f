import type { TSchema } from 'typebox';
import { ChatName } from '../chat-names/chat-names.responses.ts';
import { GroupHook, HookLog, ProjectHook, SystemHook } from '../hooks/hooks.responses.ts';
import { IntegrationEntry, IntegrationSettings } from '../integrations/integrations.responses.ts';
import { CommandResponse } from '../slash-commands/slash-commands.responses.ts';

/** Names of the objects of this area. */
export const objects: Readonly<Record<string, TSchema>> = {
  ChatName,
  CommandAnswer: CommandResponse,
  GroupHook,
  Integration: IntegrationEntry,
  IntegrationSettings,
  ProjectHook,
  SystemHook,
  WebhookCall: HookLog,
};
