import { randomUUID } from 'node:crypto';
import { holds, planInForce } from '../../../access/plan.ts';
import { escapeHtml, paragraphs } from '../../../core/html.ts';
import type { Deps } from '../../../deps.ts';
import type { Mail } from '../../../mail/mail.ts';
import { mailHost } from '../../../mail/send-mail.ts';
import { applicationSettings } from '../../../settings/application-settings.ts';
import type { Reason } from '../recipients/candidate.ts';
import type { Recipient } from '../recipients/recipients.ts';
import { unsubscribing } from '../unsubscribe/key.ts';
import { type Block, line } from './block.ts';
import { type Letter, senderName } from './letter.ts';

/** What the settings of the installation say of mails. */
export interface Manner {
  html: boolean;
  /** Text below every mail. */
  below: string;
  namesAuthor: boolean;
  /** Where one stops to follow something. */
  unsubscribe: Awaited<ReturnType<typeof unsubscribing>>;
}

export async function mannerOf(deps: Deps): Promise<Manner> {
  const settings = await applicationSettings(deps);
  const premium = holds(await planInForce(deps), 'premium');
  return {
    html: settings.html_emails_enabled,
    below: premium ? (settings.email_additional_text ?? '') : '',
    namesAuthor: settings.email_author_in_body,
    unsubscribe: await unsubscribing(deps),
  };
}

const BECAUSE: Record<Reason, string> = {
  own_activity: 'You get this mail because you asked to be told of your own activity.',
  assigned: 'You get this mail because it is assigned to you.',
  review_requested: 'You get this mail because your review was asked for.',
  mentioned: 'You get this mail because you were mentioned.',
  subscribed: 'You get this mail because you follow it.',
};
const BY_ACCOUNT = (host: string) => `You get this mail because of your account on ${host}.`;

/** Finishes a letter for one recipient. @param said what happened, as far as it is for them */
export function compose(
  deps: Deps,
  manner: Manner,
  letter: Letter,
  { user, address, reason }: Recipient,
  said: readonly Block[],
): Mail & { messageId: string } {
  const { actor, thread, followed } = letter;
  const host = mailHost(deps);
  const unsubscribe = followed === null ? null : manner.unsubscribe(followed, user.id);
  const author = manner.namesAuthor && actor !== null ? [line(`By ${senderName(actor)}`)] : [];
  const blocks = [...author, ...said, ...letter.body];
  const foot = footOf(deps, letter, reason === undefined ? BY_ACCOUNT(host) : BECAUSE[reason], unsubscribe);
  const at = (id: string) => `${id}@${host}`;
  const before = (thread.before ?? []).map(at);
  return {
    to: address,
    ...(actor === null ? {} : { fromName: senderName(actor) }),
    subject: letter.subject,
    ...bodyOf(manner, blocks, foot),
    messageId: at(thread.own ?? randomUUID()),
    ...(before.length === 0 ? {} : { inReplyTo: before.at(-1)! }),
    references: before.length === 0 ? (thread.own === undefined ? [] : [at(thread.own)]) : before,
    headers: {
      ...letter.headers,
      ...(reason === undefined ? {} : { 'X-GitLab-NotificationReason': reason }),
      ...(unsubscribe === null
        ? {}
        : { 'List-Unsubscribe': `<${unsubscribe}>`, 'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click' }),
    },
  };
}

/** What stands below what a mail says. */
export interface Foot {
  because: string;
  links: readonly (readonly [label: string, url: string])[];
}

/** A mail in both of its forms, as far as the settings want both. */
export const bodyOf = (manner: Pick<Manner, 'html' | 'below'>, blocks: readonly Block[], foot: Foot) => ({
  text: textOf(blocks, foot, manner.below),
  ...(manner.html ? { html: htmlOf(blocks, foot, manner.below) } : {}),
});

const footOf = (deps: Deps, { url }: Letter, because: string, unsubscribe: string | null): Foot => ({
  because,
  links: [
    ['View it', url],
    ...(unsubscribe === null ? [] : [['Unsubscribe from this thread', unsubscribe] as const]),
    ['Manage all notifications', `${deps.externalUrl()}/-/profile/notifications`],
    ['Help', `${deps.externalUrl()}/-/api`],
  ],
});

function textOf(blocks: readonly Block[], { because, links }: Foot, below: string): string {
  const foot = [because, ...links.map(([label, url]) => `${label}: ${url}`)].join('\n');
  const parts = [...blocks.map(({ text }) => text), `-- \n${foot}`, ...(below.trim() === '' ? [] : [below.trim()])];
  return `${parts.join('\n\n')}\n`;
}

function htmlOf(blocks: readonly Block[], { because, links }: Foot, below: string): string {
  const anchors = links.map(([label, url]) => `<a href="${escapeHtml(url)}">${label}</a>`).join(' · ');
  return [
    '<!DOCTYPE html>',
    '<html lang="en">',
    '<head><meta charset="utf-8"><meta name="referrer" content="no-referrer"></head>',
    '<body>',
    ...blocks.map(({ html }) => html),
    `<hr><p style="font-size: small; color: #666">${escapeHtml(because)}<br>${anchors}</p>`,
    ...(below.trim() === '' ? [] : [paragraphs(below)]),
    '</body>',
    '</html>',
    '',
  ].join('\n');
}
