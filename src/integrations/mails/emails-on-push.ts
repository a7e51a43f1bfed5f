import { AUTOMATIC } from '../../mail/mail.ts';
import { enqueueMails, mailHost } from '../../mail/send-mail.ts';
import { isOnBranch } from '../telling/filters.ts';
import { isNewRef, isRemovedRef, isTag, refName, type ToldCommit } from '../telling/payload.ts';
import type { Act, Work } from '../telling/work.ts';
import { recipientsOf } from './recipients.ts';

const MAX_FILES = 100;

function titleOf({ payload }: Work): string {
  const name = refName(payload);
  const kind = isTag(payload) ? 'tag' : 'branch';
  const { commits = [], total_commits_count: total = 0 } = payload;
  if (isRemovedRef(payload)) return `Deleted ${kind} ${name}`;
  if (isNewRef(payload)) return `Pushed new ${kind} ${name}`;
  return total === 1 ? (commits[0]?.title ?? name) : `${total} commits: ${commits.at(-1)?.title ?? name}`;
}

function filesOf({ added = [], modified = [], removed = [] }: ToldCommit): string[] {
  const lines = [
    ...added.map((path) => `  + ${path}`),
    ...modified.map((path) => `  ~ ${path}`),
    ...removed.map((path) => `  - ${path}`),
  ];
  return lines.length > MAX_FILES ? [...lines.slice(0, MAX_FILES), `  and ${lines.length - MAX_FILES} more`] : lines;
}

function textOf(work: Work): string {
  const { payload } = work;
  const { project, commits = [], before = '', after = '' } = payload;
  const what = isRemovedRef(payload) ? 'deleted' : isNewRef(payload) ? 'pushed new' : 'pushed to';
  const head = `${payload.user_name ?? 'Somebody'} ${what} ${isTag(payload) ? 'tag' : 'branch'} ${refName(payload)} at ${project?.path_with_namespace}\n${project?.web_url}`;
  const each = commits.map((commit) =>
    [
      `${commit.id.slice(0, 8)} by ${commit.author.name} at ${commit.timestamp}`,
      commit.message.trim(),
      ...(work.setting('disable_diffs') === true ? [] : filesOf(commit)),
      commit.url,
    ].join('\n'),
  );
  const compare =
    isNewRef(payload) || isRemovedRef(payload) ? [] : [`Compare: ${project?.web_url}/-/compare/${before}...${after}`];
  return [head, ...each, ...compare].join('\n\n');
}

/** Mails to everybody on the list what was pushed. */
export const emailsOnPush: Act = async (work) => {
  if (!(await isOnBranch(work))) return;
  const { deps, payload, idempotencyKey } = work;
  const subject = `[${payload.project?.path_with_namespace}][${refName(payload)}] ${titleOf(work)}`;
  const committer = work.setting('send_from_committer_email') === true ? payload.user_email : null;
  const mails = recipientsOf(work.text('recipients')).map((to, index) => ({
    to,
    ...(payload.user_name == null ? {} : { fromName: payload.user_name }),
    ...(committer ? { replyTo: committer } : {}),
    subject,
    text: textOf(work),
    messageId: `${idempotencyKey}.${index}@${mailHost(deps)}`,
    headers: AUTOMATIC,
  }));
  await deps.db.transaction().execute((db) => enqueueMails(db, deps, mails));
};
