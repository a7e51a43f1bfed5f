import { Type } from 'typebox';
import { Enum, Nullable } from '../../../http/http.schema.ts';
import {
  CUSTOM_EVENTS,
  NOTIFICATION_LEVELS,
  type NotificationLevel,
  PREMIUM_EVENTS,
} from './notification-settings.levels.ts';

const Level = Enum(Object.keys(NOTIFICATION_LEVELS) as NotificationLevel[]);

/** Events enabled or disabled by the user; null if not set. */
export const NotificationEvents = Type.Partial(
  Type.Object(
    Object.fromEntries(
      Object.entries({ ...CUSTOM_EVENTS, ...PREMIUM_EVENTS }).map(([name, description]) => [
        name,
        Nullable(Type.Boolean({ description })),
      ]),
    ),
  ),
);

/** Notification setting (part 2, section 2). */
export const NotificationSetting = Type.Object({ level: Level, events: Type.Optional(NotificationEvents) });

/** The global setting, which applies by default. */
export const GlobalNotificationSetting = Type.Object({
  level: Level,
  notification_email: Type.String(),
  events: Type.Optional(NotificationEvents),
});
