import type { Vocabulary } from '../../../http/openapi/openapi.words.ts';

/** Names used by push rules. */
export const pushRuleWords: Vocabulary['entries'] = {
  author_email_regex: [
    'RE2 pattern that the email addresses of author and committer must match; empty for any.',
    '@example\\.com$',
  ],
  branch_name_regex: [
    'RE2 pattern that branch names must match, except the default branch; empty for any.',
    '^(feature|fix)/',
  ],
  commit_committer_check: ['Whether the committer must be the pushing user, with a confirmed email address.', false],
  commit_committer_name_check: ['Whether the commit author must have the name of the pushing user.', false],
  commit_message_negative_regex: [
    'RE2 pattern that commit messages must not match; `^` and `$` match at line breaks. Empty for none.',
    'DO NOT MERGE',
  ],
  commit_message_regex: [
    'RE2 pattern that commit messages must match; `^` and `$` match at line breaks. Empty for any.',
    'JIRA-\\d+',
  ],
  deny_delete_tag: ['Whether tags cannot be deleted with `git push`. They can still be deleted through the API.', true],
  file_name_regex: ['RE2 pattern that paths of new files must not match; empty for none.', '\\.(jar|exe)$'],
  max_file_size: ['Maximum size of new files in MiB; 0 for no limit. Files in Git LFS are exempt.', 100],
  member_check: ['Whether author and committer must be users, with confirmed email addresses.', false],
  prevent_secrets: ['Whether new files must not have names that typically hold secrets, such as `id_rsa`.', true],
  reject_non_dco_commits: ['Whether commit messages must contain a `Signed-off-by` line.', false],
  reject_unsigned_commits: [
    'Whether commits must have a verified signature. Commits created by the server are unsigned and exempt.',
    false,
  ],
};
