import { AUTOMATIC } from '../../mail/mail.ts';
import { mailHost } from '../../mail/send-mail.ts';
import type { DispatchContext, Handler } from '../dispatch/dispatch-context.ts';
import { isOnBranch } from '../dispatch/dispatch-filters.ts';
import { isNewRef, isRemovedRef, isTag, refName } from '../dispatch/integration-payload.ts';
import { mailOnce } from './integration-mails.once.ts';
import { recipientsOf } from './integration-mails.recipients.ts';
import { pushDiff } from './push-diff.ts';

const plural = (count: number, word: string): string => `${count} ${word}${count === 1 ? '' : 's'}`;

function titleOf({ payload }: DispatchContext): string {
  const name = refName(payload);
  const kind = isTag(payload) ? 'tag' : 'branch';
  const { commits = [], total_commits_count: total = 0 } = payload;
  if (isRemovedRef(payload)) return `Deleted ${kind} ${name}`;
  if (isNewRef(payload)) return `Pushed new ${kind} ${name}`;
  return total === 1 ? (commits[0]?.title ?? name) : `${total} commits: ${commits.at(-1)?.title ?? name}`;
}

/** Paragraphs of the mail. */
function paragraphsOf({ payload }: DispatchContext): string[] {
  const { project, commits = [], before = '', after = '', total_commits_count: total = 0 } = payload;
  const what = isRemovedRef(payload) ? 'deleted' : isNewRef(payload) ? 'pushed new' : 'pushed to';
  const head = `${payload.user_name ?? 'Somebody'} ${what} ${isTag(payload) ? 'tag' : 'branch'} ${refName(payload)} at ${project?.path_with_namespace}\n${project?.web_url}`;
  const each = commits.map((commit) =>
    [
      `${commit.id.slice(0, 8)} by ${commit.author.name} at ${commit.timestamp}`,
      commit.message.trim(),
      commit.url,
    ].join('\n'),
  );
  const more = total > commits.length ? [`and ${plural(total - commits.length, 'earlier commit')}`] : [];
  const compare =
    isNewRef(payload) || isRemovedRef(payload) ? [] : [`Compare: ${project?.web_url}/-/compare/${before}...${after}`];
  return [head, ...each, ...more, ...compare];
}

/** The diff of a push to an existing branch that still exists. */
async function diffOf({ deps, payload, projectId, setting }: DispatchContext, recipients: number): Promise<string[]> {
  if (setting('disable_diffs') === true || projectId === null) return [];
  if (isTag(payload) || isNewRef(payload) || isRemovedRef(payload)) return [];
  const { before = '', after = '' } = payload;
  return pushDiff(deps, { projectId, before, after, recipients });
}

/** The confirmed e-mail address of the user who pushed. */
async function pusherAddress({ deps, actorId }: DispatchContext): Promise<string | undefined> {
  if (actorId === null) return undefined;
  const user = await deps.db
    .selectFrom('users')
    .select('email')
    .where('id', '=', actorId)
    .where('confirmed_at', 'is not', null)
    .executeTakeFirst();
  return user?.email;
}

/** Whether an address is in the domain of the host, so that mails may be sent from it. */
function isOfHost(address: string, host: string): boolean {
  const domain = address.slice(address.lastIndexOf('@') + 1).toLowerCase();
  return host === domain || (domain.includes('.') && host.endsWith(`.${domain}`));
}

/**
 * Sender of the mail: if enabled, the user who pushed, with their address if it is in the domain of the installation.
 */
async function senderOf(context: DispatchContext) {
  const name = context.payload.user_name == null ? {} : { fromName: context.payload.user_name };
  const address = context.setting('send_from_committer_email') === true ? await pusherAddress(context) : undefined;
  if (address === undefined) return name;
  return { ...name, replyTo: address, ...(isOfHost(address, mailHost(context.deps)) ? { fromAddress: address } : {}) };
}

/** Sends mails about a push to the recipients. */
export const emailsOnPush: Handler = async (context) => {
  if (!(await isOnBranch(context))) return;
  const { deps, payload, idempotencyKey } = context;
  const recipients = recipientsOf(context.text('recipients'));
  if (recipients.length === 0) return;
  const subject = `[${payload.project?.path_with_namespace}][${refName(payload)}] ${titleOf(context)}`;
  const text = [...paragraphsOf(context), ...(await diffOf(context, recipients.length))].join('\n\n');
  const sender = await senderOf(context);
  const mails = recipients.map((to, index) => ({
    to,
    ...sender,
    subject,
    text,
    messageId: `${idempotencyKey}.${index}@${mailHost(deps)}`,
    headers: AUTOMATIC,
  }));
  await mailOnce(context, mails);
};
