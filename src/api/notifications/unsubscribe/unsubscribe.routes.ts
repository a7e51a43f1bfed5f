import { Type } from 'typebox';
import { escapeHtml } from '../../../core/html.ts';
import { route } from '../../../http/http.route.ts';
import { optional } from '../../../http/http.schema.ts';
import { refuseInMaintenance } from '../../../settings/settings.maintenance.ts';
import { anyone, openAbility } from '../../api.access.ts';
import { requireKey, stopFollowing } from './stop.ts';

const PATH = '/-/sent_notifications/:key/unsubscribe';
const params = Type.Object({ key: Type.String({ description: 'Key from the link in a mail.', maxLength: 200 }) });
const AWAY = {
  status: 302,
  empty: true,
  headers: { Location: Type.String({ description: 'Target URL.' }) },
} as const;

const page = (title: string, body: string): string => `<!DOCTYPE html>
<html lang="en">
<head><meta charset="utf-8"><meta name="referrer" content="no-referrer"><title>${escapeHtml(title)}</title></head>
<body>
<p>${escapeHtml(title)}</p>
${body}
</body>
</html>
`;
const DONE = page('You have been unsubscribed from this thread.', '');
const ask = (url: string): string =>
  page(
    'Do you want to unsubscribe from this thread?',
    `<p><a href="${escapeHtml(`${url}?force=true`)}" rel="nofollow">Unsubscribe</a></p>`,
  );

/** Targets of links in mails. */
export const unsubscribeRoutes = [
  route({
    method: 'GET',
    root: true,
    tag: 'Notifications',
    path: PATH,
    operationId: 'getUnsubscribePage',
    summary: 'Unsubscribe from the thread of a mail by its link',
    description:
      'Callers without a sign-in get a confirmation page, because mail programs may open links by themselves. The key identifies the user.',
    access: anyone,
    params,
    input: optional({ force: Type.Boolean({ description: 'Unsubscribe without confirmation.' }) }),
    success: {
      status: 200,
      contentType: 'text/html',
      description: 'Confirmation page, or page that reports the result.',
    },
    otherSuccess: AWAY,
    errors: [404],
    handler: async ({ deps, caller, params: { key }, input, reply }) => {
      const subscription = await requireKey(deps, key);
      reply.header('Cache-Control', 'no-store');
      const html = (text: string) => reply.type('text/html; charset=utf-8').send(text);
      if (caller.user === null && input.force !== true) {
        return html(ask(`${deps.externalUrl()}/-/sent_notifications/${key}/unsubscribe`));
      }
      refuseInMaintenance(deps);
      await stopFollowing(deps, subscription);
      if (caller.user === null) return html(DONE);
      reply.code(302).header('Location', subscription.url);
      return undefined;
    },
  }),
  route({
    method: 'POST',
    root: true,
    tag: 'Notifications',
    path: PATH,
    operationId: 'unsubscribe',
    summary: 'Unsubscribe from the thread of a mail (one-click request of mail programs)',
    description: 'No sign-in is necessary: the key identifies the user.',
    access: openAbility('unsubscribe_by_mail'),
    params,
    success: { status: 200, contentType: 'text/html', description: 'Page that reports the result.' },
    errors: [404],
    handler: async ({ deps, params: { key }, reply }) => {
      await stopFollowing(deps, await requireKey(deps, key));
      return reply.header('Cache-Control', 'no-store').type('text/html; charset=utf-8').send(DONE);
    },
  }),
  route({
    method: 'GET',
    root: true,
    tag: 'Notifications',
    path: '/-/profile/notifications',
    operationId: 'getNotificationsPage',
    summary: "Redirect to the caller's notification settings",
    access: anyone,
    success: AWAY,
    handler: async ({ deps, reply }) => {
      reply.code(302).header('Location', `${deps.externalUrl()}/api/v4/notification_settings`);
      return undefined;
    },
  }),
];
