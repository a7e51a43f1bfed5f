import { Type } from 'typebox';
import { ofPlan, optional } from '../../../http/http.schema.ts';
import { CUSTOM_EVENTS, type CustomEvent, PREMIUM_EVENTS } from './notification-settings.levels.ts';

const flags = (events: Readonly<Record<string, string>>, more: object = {}) =>
  Object.fromEntries(
    Object.entries(events).map(([name, description]) => [name, Type.Boolean({ description, ...more })]),
  );

const level = Type.String({
  description:
    '`disabled`, `participating`, `watch`, `global`, `mention` or `custom`; events count with `custom` alone.',
});
const events = { ...flags(CUSTOM_EVENTS), ...flags(PREMIUM_EVENTS, ofPlan('premium')) };

/** How much to be mailed of in one place. */
export const placeInput = optional({ level, ...events });
/** The same everywhere, with the address. */
export const globalInput = optional({
  level,
  notification_email: Type.String({ description: 'One of one’s own addresses that are confirmed.' }),
  ...events,
});

/** Names of all events. */
export const EVENT_NAMES = Object.keys(events) as CustomEvent[];
