import { asciiLower } from '../../db/like.ts';
import type { PushRule } from '../../db/tables/push-rules.table.ts';
import { MAX_MESSAGE, type NewCommit } from '../../git/transport/index.ts';
import { type PushPattern, pushPattern } from './push-rules.pattern.ts';
import type { Pusher } from './pusher.ts';

/** Compiled patterns of a push rule; null for empty ones. */
export interface Patterns {
  message: PushPattern | null;
  negative: PushPattern | null;
  email: PushPattern | null;
  branch: PushPattern | null;
  file: PushPattern | null;
}

export const patternsOf = (rule: PushRule): Patterns => ({
  message: pushPattern(rule.commit_message_regex, { lines: true }),
  negative: pushPattern(rule.commit_message_negative_regex, { lines: true }),
  email: pushPattern(rule.author_email_regex),
  branch: pushPattern(rule.branch_name_regex),
  file: pushPattern(rule.file_name_regex),
});

/**
 * Origin of a commit: written under a name that the pusher vouches for, merged work of others, or created by the server
 * from a caller's input or from other commits.
 */
export type CommitOrigin = 'somebody' | 'others' | 'server' | 'server from commits';

const SIGN_OFF = /^Signed-off-by:[^<\n]+<[^<>@\n]+@[^<>@\n]+>[ \t\r]*$/i;
const signedOff = (message: string): boolean =>
  message.includes('<') && message.split('\n').some((line) => line.length < 1_000 && SIGN_OFF.test(line));

/**
 * Returns the refusal of a commit as git and the API show it, or null. Uses only its arguments: checks that require the
 * database or a signature are done elsewhere.
 */
export function refuseCommit(
  rule: PushRule,
  patterns: Patterns,
  commit: NewCommit,
  madeBy: CommitOrigin,
  pusher: Pusher,
): string | null {
  return (
    refuseMessage(rule, patterns, commit) ??
    refuseEmails(patterns, commit) ??
    refuseAuthor(rule, commit, madeBy, pusher)
  );
}

function refuseMessage(rule: PushRule, { message, negative }: Patterns, commit: NewCommit): string | null {
  const dco = rule.reject_non_dco_commits === 1;
  if ((message ?? negative) === null && !dco) return null;
  if (commit.messageLength > MAX_MESSAGE) return `Commit message of ${commit.oid} is too long to be checked`;
  if (message?.test(commit.message) === false) return `Commit message does not follow the pattern '${message.source}'`;
  if (negative?.test(commit.message) === true) {
    return `Commit message contains the forbidden pattern '${negative.source}'`;
  }
  return dco && !signedOff(commit.message) ? 'Commit message must contain a DCO signoff' : null;
}

function refuseEmails({ email }: Patterns, { authorEmail, committerEmail }: NewCommit): string | null {
  if (email === null) return null;
  const does = (whose: string, address: string) =>
    email.test(address) ? null : `${whose}'s email '${address}' does not follow the pattern '${email.source}'`;
  return does('Committer', committerEmail) ?? does('Author', authorEmail);
}

function refuseAuthor(
  rule: PushRule,
  { authorName, committerEmail }: NewCommit,
  madeBy: CommitOrigin,
  pusher: Pusher,
): string | null {
  if (madeBy === 'others') return null;
  // Merges, cherry-picks and rebases keep the original author names.
  const named = rule.commit_committer_name_check === 1 && madeBy !== 'server from commits';
  if (named && authorName !== pusher.name) {
    return `Author name is inconsistent with the account name: '${authorName}' instead of '${pusher.name ?? ''}'`;
  }
  if (rule.commit_committer_check === 0 || pusher.addresses.has(asciiLower(committerEmail))) return null;
  return pusher.unconfirmed.has(asciiLower(committerEmail))
    ? `Committer email '${committerEmail}' is not verified.`
    : `You cannot push commits for '${committerEmail}'. You can only push commits if the committer email is one of your own verified emails.`;
}
