import type { TSchema } from 'typebox';
import { ChatName } from '../chat-names/answers.ts';
import { GroupHook, HookLog, ProjectHook, SystemHook } from '../hooks/answers.ts';
import { IntegrationEntry, IntegrationSettings } from '../integrations/answers.ts';
import { CommandAnswer } from '../slash-commands/answers.ts';

/** What the objects of this area are called. */
export const objects: Readonly<Record<string, TSchema>> = {
  ChatName,
  CommandAnswer,
  GroupHook,
  Integration: IntegrationEntry,
  IntegrationSettings,
  ProjectHook,
  SystemHook,
  WebhookCall: HookLog,
};
