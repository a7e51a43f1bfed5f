import type { TSchema } from 'typebox';
import { GroupHook, HookLog, ProjectHook, SystemHook } from '../hooks/answers.ts';
import { IntegrationEntry, IntegrationSettings } from '../integrations/answers.ts';

/** What the objects of this area are called. */
export const objects: Readonly<Record<string, TSchema>> = {
  GroupHook,
  Integration: IntegrationEntry,
  IntegrationSettings,
  ProjectHook,
  SystemHook,
  WebhookCall: HookLog,
};
