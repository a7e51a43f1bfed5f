import { Type } from 'typebox';
import { ofPlan, optional } from '../../../http/http.schema.ts';
import { CUSTOM_EVENTS, type CustomEvent, PREMIUM_EVENTS } from './notification-settings.levels.ts';

const flags = (events: Readonly<Record<string, string>>, more: object = {}) =>
  Object.fromEntries(
    Object.entries(events).map(([name, description]) => [name, Type.Boolean({ description, ...more })]),
  );

const level = Type.String({
  description:
    '`disabled`, `participating`, `watch`, `global`, `mention` or `custom`; only `custom` uses the single events.',
});
const events = { ...flags(CUSTOM_EVENTS), ...flags(PREMIUM_EVENTS, ofPlan('premium')) };

/** Notification settings of a project or group. */
export const scopedSettingInput = optional({ level, ...events });
/** Global notification settings, with the e-mail address. */
export const globalInput = optional({
  level,
  notification_email: Type.String({ description: 'One of the confirmed e-mail addresses of the caller.' }),
  ...events,
});

/** Names of all events. */
export const EVENT_NAMES = Object.keys(events) as CustomEvent[];
