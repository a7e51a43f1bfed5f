import type { TSchema } from 'typebox';
import { GroupHook, HookLog, ProjectHook, SystemHook } from '../hooks/answers.ts';

/** What the objects of this area are called. */
export const objects: Readonly<Record<string, TSchema>> = {
  GroupHook,
  ProjectHook,
  SystemHook,
  WebhookCall: HookLog,
};
