import { randomUUID } from 'node:crypto';
import { effectivePlan, includesPlan } from '../../../access/access.plan.ts';
import { escapeHtml, paragraphs } from '../../../core/html.ts';
import type { Deps } from '../../../deps.ts';
import type { Mail } from '../../../mail/mail.ts';
import { mailHost } from '../../../mail/send-mail.ts';
import { applicationSettings } from '../../../settings/application-settings.ts';
import type { Reason } from '../recipients/candidate.ts';
import type { Recipient } from '../recipients/recipients.ts';
import { unsubscribeLinks } from '../unsubscribe/unsubscribe.key.ts';
import { type MailDraft, senderName } from './mail-draft.ts';
import { type Block, line } from './notification-mails.block.ts';

/** Application settings about mails. */
export interface MailFormat {
  html: boolean;
  /** Footer text of every mail. */
  below: string;
  namesAuthor: boolean;
  /** Builds unsubscribe links. */
  unsubscribe: Awaited<ReturnType<typeof unsubscribeLinks>>;
}

export async function mailFormatOf(deps: Deps): Promise<MailFormat> {
  const settings = await applicationSettings(deps);
  const premium = includesPlan(await effectivePlan(deps), 'premium');
  return {
    html: settings.html_emails_enabled,
    below: premium ? (settings.email_additional_text ?? '') : '',
    namesAuthor: settings.email_author_in_body,
    unsubscribe: await unsubscribeLinks(deps),
  };
}

const REASON_TEXTS: Record<Reason, string> = {
  own_activity: 'You receive this mail because you enabled notifications about your own activity.',
  assigned: 'You receive this mail because you are an assignee.',
  review_requested: 'You receive this mail because your review was requested.',
  mentioned: 'You receive this mail because you were mentioned.',
  subscribed: 'You receive this mail because you are subscribed.',
};
const BY_ACCOUNT = (host: string) => `You receive this mail because of your account on ${host}.`;

/** Composes the mail for one recipient. @param sentences the parts for this recipient */
export function compose(
  deps: Deps,
  format: MailFormat,
  draft: MailDraft,
  { user, address, reason }: Recipient,
  sentences: readonly Block[],
): Mail & { messageId: string } {
  const { actor, thread, followed } = draft;
  const host = mailHost(deps);
  const unsubscribe = followed === null ? null : format.unsubscribe(followed, user.id);
  const author = format.namesAuthor && actor !== null ? [line(`By ${senderName(actor)}`)] : [];
  const blocks = [...author, ...sentences, ...draft.body];
  const footer = footerOf(deps, draft, reason === undefined ? BY_ACCOUNT(host) : REASON_TEXTS[reason], unsubscribe);
  const at = (id: string) => `${id}@${host}`;
  const before = (thread.before ?? []).map(at);
  return {
    to: address,
    ...(actor === null ? {} : { fromName: senderName(actor) }),
    subject: draft.subject,
    ...bodyOf(format, blocks, footer),
    messageId: at(thread.own ?? randomUUID()),
    ...(before.length === 0 ? {} : { inReplyTo: before.at(-1)! }),
    references: before.length === 0 ? (thread.own === undefined ? [] : [at(thread.own)]) : before,
    headers: {
      ...draft.headers,
      ...(reason === undefined ? {} : { 'X-GitLab-NotificationReason': reason }),
      ...(unsubscribe === null
        ? {}
        : { 'List-Unsubscribe': `<${unsubscribe}>`, 'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click' }),
    },
  };
}

/** Footer of a mail. */
export interface Footer {
  reason: string;
  links: readonly (readonly [label: string, url: string])[];
}

/** The body of a mail as text and, by the settings, as HTML. */
export const bodyOf = (format: Pick<MailFormat, 'html' | 'below'>, blocks: readonly Block[], footer: Footer) => ({
  text: textOf(blocks, footer, format.below),
  ...(format.html ? { html: htmlOf(blocks, footer, format.below) } : {}),
});

const footerOf = (deps: Deps, { url }: MailDraft, reasonText: string, unsubscribe: string | null): Footer => ({
  reason: reasonText,
  links: [
    ['View it', url],
    ...(unsubscribe === null ? [] : [['Unsubscribe from this thread', unsubscribe] as const]),
    ['Manage all notifications', `${deps.externalUrl()}/-/profile/notifications`],
    ['Help', `${deps.externalUrl()}/-/api`],
  ],
});

function textOf(blocks: readonly Block[], { reason: reasonText, links }: Footer, below: string): string {
  const footer = [reasonText, ...links.map(([label, url]) => `${label}: ${url}`)].join('\n');
  const parts = [...blocks.map(({ text }) => text), `-- \n${footer}`, ...(below.trim() === '' ? [] : [below.trim()])];
  return `${parts.join('\n\n')}\n`;
}

function htmlOf(blocks: readonly Block[], { reason: reasonText, links }: Footer, below: string): string {
  const anchors = links.map(([label, url]) => `<a href="${escapeHtml(url)}">${label}</a>`).join(' · ');
  return [
    '<!DOCTYPE html>',
    '<html lang="en">',
    '<head><meta charset="utf-8"><meta name="referrer" content="no-referrer"></head>',
    '<body>',
    ...blocks.map(({ html }) => html),
    `<hr><p style="font-size: small; color: #666">${escapeHtml(reasonText)}<br>${anchors}</p>`,
    ...(below.trim() === '' ? [] : [paragraphs(below)]),
    '</body>',
    '</html>',
    '',
  ].join('\n');
}
