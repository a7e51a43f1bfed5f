import { effectivePlan, includesPlan } from '../../../access/access.plan.ts';
import type { Deps } from '../../../deps.ts';
import { type Route, route } from '../../../http/http.route.ts';
import { onServer, requireUser, signedIn } from '../../api.access.ts';
import { inSource, type SourceKind } from '../../spaces/index.ts';
import { globalInput, scopedSettingInput } from './notification-settings.inputs.ts';
import { GlobalNotificationSetting, NotificationSetting } from './notification-settings.responses.ts';
import { changeSetting, notificationEmail, presentSetting, settingIn } from './notification-settings.settings.ts';

const isPremium = async (deps: Deps) => includesPlan(await effectivePlan(deps), 'premium');
const SEE = { project: 'read_project', group: 'read_group' } as const;

/** Notification settings of a project or group (part 2, section 4.12). */
const routesFor = (kind: SourceKind): Route[] => [
  route({
    method: 'GET',
    path: `/${kind}s/:id/notification_settings`,
    summary: `Get the caller's notification settings of a ${kind}`,
    access: inSource(kind, SEE),
    success: { status: 200, schema: NotificationSetting },
    handler: async ({ deps, caller, source }) => {
      const place = { type: kind, id: source.id };
      return presentSetting(await settingIn(deps.db, requireUser(caller).user.id, place), await isPremium(deps));
    },
  }),
  route({
    method: 'PUT',
    path: `/${kind}s/:id/notification_settings`,
    summary: `Change the caller's notification settings of a ${kind}`,
    description: 'Settings that are not given stay as they are.',
    access: inSource(kind, { project: 'update_notification_settings', group: 'update_group_notification_settings' }),
    input: scopedSettingInput,
    success: { status: 200, schema: NotificationSetting },
    errors: [400],
    handler: async ({ deps, caller, source, input }) => {
      const place = { type: kind, id: source.id };
      const setting = await changeSetting(deps, requireUser(caller).user.id, place, input);
      return presentSetting(setting, await isPremium(deps));
    },
  }),
];

/** Notification settings (part 2, section 4.12). */
export const notificationSettingsRoutes = [
  route({
    method: 'GET',
    path: '/notification_settings',
    summary: "Get the caller's global notification settings",
    access: signedIn,
    success: { status: 200, schema: GlobalNotificationSetting },
    handler: async ({ deps, caller: { user } }) => ({
      ...presentSetting(await settingIn(deps.db, user.id, { type: 'user', id: user.id }), await isPremium(deps)),
      notification_email: notificationEmail(user),
    }),
  }),
  route({
    method: 'PUT',
    path: '/notification_settings',
    summary: "Change the caller's global notification settings",
    description: 'Settings that are not given stay as they are.',
    access: onServer('update_own_account'),
    input: globalInput,
    success: { status: 200, schema: GlobalNotificationSetting },
    errors: [400],
    handler: async ({ deps, caller: { user }, input }) => {
      const { notification_email: email, ...change } = input;
      const setting = await changeSetting(deps, user.id, { type: 'user', id: user.id }, change, email);
      const now = await deps.db.selectFrom('users').selectAll().where('id', '=', user.id).executeTakeFirstOrThrow();
      return { ...presentSetting(setting, await isPremium(deps)), notification_email: notificationEmail(now) };
    },
  }),
  ...routesFor('group'),
  ...routesFor('project'),
];
