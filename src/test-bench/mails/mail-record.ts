import { timestamp } from '../../core/clock.ts';
import type { Deps } from '../../deps.ts';
import type { MailObserver } from '../../mail/mailer.ts';

/** Mails that are kept; the oldest ones go. */
const MAX_MAILS = 2_000;
/** Longest text of a mail that is kept. */
const MAX_TEXT = 256 * 1024;

/** Topic of requests for mails that wait for more. */
export const MAILS_TOPIC = 'test_bench.mails';

/** Records each mail; whether it may leave the machine then is a setting. */
export const mailRecord =
  (deps: Deps): MailObserver =>
  async ({ messageId, to, from, subject, text, html }) => {
    const { db, config } = deps;
    const row = await db
      .insertInto('bench_mails')
      .values({
        created_at: timestamp(deps.clock),
        message_id: messageId,
        recipient: to,
        sender: from,
        subject,
        body: text.slice(0, MAX_TEXT),
        html: html?.slice(0, MAX_TEXT) ?? null,
      })
      // One that is sent again after a failure.
      .onConflict((conflict) => conflict.column('message_id').doNothing())
      .returning('id')
      .executeTakeFirst();
    if (row !== undefined) {
      await db
        .deleteFrom('bench_mails')
        .where('id', '<=', row.id - MAX_MAILS)
        .execute();
      deps.longPolls.wake(MAILS_TOPIC);
    }
    return config.bench?.outbound === 'send';
  };

const HREF = /\bhref\s*=\s*(?:"([^"]*)"|'([^']*)')/gi;
const ADDRESS = /https?:\/\/[^\s<>"']+/g;
const ENTITIES: Readonly<Record<string, string>> = {
  '&amp;': '&',
  '&quot;': '"',
  '&#39;': "'",
  '&lt;': '<',
  '&gt;': '>',
};

const decoded = (text: string): string => text.replace(/&(?:amp|quot|#39|lt|gt);/g, (entity) => ENTITIES[entity]!);

/** The addresses that a mail links to, each once, those of its HTML first. */
export function linksOf(text: string, html: string | null): string[] {
  const inHtml = [...(html ?? '').matchAll(HREF)].map(([, double, single]) => decoded(double ?? single ?? ''));
  const inText = [...text.matchAll(ADDRESS)].map(([address]) => address.replace(/[.,;:!?)\]]+$/, ''));
  return [...new Set([...inHtml, ...inText])].filter((address) => /^https?:/i.test(address));
}
