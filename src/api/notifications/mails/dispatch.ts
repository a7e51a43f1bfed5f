import type { Deps } from '../../../deps.ts';
import { jobKind } from '../../../jobs/jobs.kinds.ts';
import type { Mail } from '../../../mail/mail.ts';
import { enqueueMail } from '../../../mail/send-mail.ts';
import { higherReason } from '../recipients/candidate.ts';
import type { ProjectContext } from '../recipients/project-context.ts';
import { readersAmong } from '../recipients/recipients.readers.ts';
import { addressOf, type Message, type Recipient, recipientsOf } from '../recipients/recipients.ts';
import { type Topic, topicContextOf } from '../topics/topic.ts';
import type { MailDraft } from './mail-draft.ts';
import { DAILY_LIMIT, recentMailCounts, recordMails } from './mail-log.ts';
import type { Block } from './notification-mails.block.ts';
import { compose, type MailFormat, mailFormatOf } from './notification-mails.compose.ts';

/** A composed mail that waits for delivery. */
interface Waiting {
  topic: Topic;
  user_id: number;
  mail: Mail & { messageId: string };
}
const DELIVER = jobKind<Waiting>('notifications.deliver', { lane: 'mail', timeoutMs: 120_000 });
/** Maximum number of recipients per transaction. */
const BATCH_SIZE = 100;

/** A part of a mail, with its candidate recipients. */
export interface Part {
  message: Message;
  sentences: readonly Block[];
  /** Further topic of the part, which recipients must be able to read as well. */
  about?: Topic;
}

/** The mails of an event: one for each user, with the parts that concern them. */
export interface Dispatch {
  topic: Topic;
  draft: MailDraft;
  parts: readonly Part[];
}

type Addressed = Recipient & { sentences: Block[] };

/** Enqueues the mails of an occasion; idempotent. */
export async function dispatch(deps: Deps, occasion: string, { topic, draft, parts }: Dispatch): Promise<void> {
  const topicContext = await topicContextOf(deps, topic);
  if (topicContext === undefined) return;
  const addressed = new Map<number, Addressed>();
  for (const { message, sentences, about } of parts) {
    for (const recipient of await readersOf(deps, about, await recipientsOf(deps, topicContext, message))) {
      const before = addressed.get(recipient.user.id);
      const reason = higherReason(before?.reason, recipient.reason);
      addressed.set(recipient.user.id, {
        ...recipient,
        reason,
        sentences: [...(before?.sentences ?? []), ...sentences],
      });
    }
  }
  if (addressed.size === 0) return;
  const format = await mailFormatOf(deps);
  const all = [...addressed.values()];
  for (let at = 0; at < all.length; at += BATCH_SIZE) {
    await enterSome(deps, occasion, { topic, draft }, topicContext.place, format, all.slice(at, at + BATCH_SIZE));
  }
}

async function readersOf(
  deps: Deps,
  about: Topic | undefined,
  recipients: readonly Recipient[],
): Promise<readonly Recipient[]> {
  if (about === undefined || recipients.length === 0) return recipients;
  const topicContext = await topicContextOf(deps, about);
  if (topicContext === undefined) return [];
  const ids = recipients.map(({ user }) => user.id);
  const readers = await readersAmong(deps, topicContext.place, topicContext.mayRead, ids);
  return recipients.filter(({ user }) => readers.has(user.id));
}

async function enterSome(
  deps: Deps,
  occasion: string,
  { topic, draft }: Pick<Dispatch, 'topic' | 'draft'>,
  place: ProjectContext,
  format: MailFormat,
  recipients: readonly Addressed[],
): Promise<void> {
  const projectId = place.project.id;
  await deps.db.transaction().execute(async (db) => {
    const ids = recipients.map(({ user }) => user.id);
    const lately = await recentMailCounts(deps, db, place, ids);
    const full = recipients.filter(({ user }) => (lately.get(user.id) ?? 0) >= DAILY_LIMIT);
    const open = recipients.filter((recipient) => !full.includes(recipient));
    const fresh = await recordMails(
      deps,
      db,
      occasion,
      open.map(({ user }) => user.id),
      { projectId },
    );
    await deps.jobs.enqueueAll(
      db,
      open
        .filter(({ user }) => fresh.has(user.id))
        .map((recipient) => ({
          kind: DELIVER,
          payload: {
            topic,
            user_id: recipient.user.id,
            mail: compose(deps, format, draft, recipient, recipient.sentences),
          },
          projectId,
        })),
    );
    const notice = `limit:${projectId}:${deps.clock.now().toISOString().slice(0, 10)}`;
    const unnotified = await recordMails(
      deps,
      db,
      notice,
      full.map(({ user }) => user.id),
    );
    for (const { user, address } of full.filter((each) => unnotified.has(each.user.id))) {
      await enqueueMail(db, deps, limitNotice(deps, place, address, user.name));
    }
  });
}

const limitNotice = (deps: Deps, { project }: ProjectContext, to: string, name: string): Mail => ({
  to,
  subject: `${project.name} | Too many notifications for one day`,
  text: [
    `Hello ${name},`,
    `you received ${DAILY_LIMIT} mails about ${project.full_path} in the last 24 hours. No more are sent until the number drops.`,
    `Manage all notifications: ${deps.externalUrl()}/-/profile/notifications\n`,
  ].join('\n\n'),
});

/** Registers the job that sends mails; checks again that the recipient may read the topic. */
export function registerDelivery(deps: Deps): void {
  deps.jobs.register(DELIVER, async ({ topic, user_id, mail }) => {
    const topicContext = await topicContextOf(deps, topic);
    if (topicContext === undefined) return;
    const reader = (await readersAmong(deps, topicContext.place, topicContext.mayRead, [user_id])).get(user_id);
    if (reader === undefined) return;
    await deps.mailer.send({ ...mail, to: await addressOf(deps, topicContext.place, reader.user) });
  });
}
