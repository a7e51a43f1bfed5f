import type { Vocabulary } from '../../../http/openapi/openapi.words.ts';

/** Push rules: what each asks of a push. */
export const pushRuleWords: Vocabulary['entries'] = {
  author_email_regex: [
    'RE2 that the addresses of author and committer of each commit must match; empty for any.',
    '@example\\.com$',
  ],
  branch_name_regex: [
    'RE2 that names of branches must match, the default branch excepted; empty for any.',
    '^(feature|fix)/',
  ],
  commit_committer_check: ['Whether the committer must be the user who pushes, by a confirmed address.', false],
  commit_committer_name_check: ['Whether the author must be called as the account of the user who pushes.', false],
  commit_message_negative_regex: [
    'RE2 that no message of a commit may match; `^` and `$` stand for lines. Empty for none.',
    'DO NOT MERGE',
  ],
  commit_message_regex: [
    'RE2 that each message of a commit must match; `^` and `$` stand for lines. Empty for any.',
    'JIRA-\\d+',
  ],
  deny_delete_tag: ['Whether `git push` may remove no tag; through the API they can be.', true],
  file_name_regex: ['RE2 that no path of a new file may match; empty for none.', '\\.(jar|exe)$'],
  max_file_size: ['Largest new file, in MiB; 0 for any size. What Git LFS stores does not count.', 100],
  member_check: ['Whether author and committer must be users, by their confirmed addresses.', false],
  prevent_secrets: ['Whether new files must not be called as files with secrets are, such as `id_rsa`.', true],
  reject_non_dco_commits: ['Whether each message of a commit must have a line `Signed-off-by`.', false],
  reject_unsigned_commits: [
    'Whether each commit must have a signature that is verified; the server signs none, and its own are let in.',
    false,
  ],
};
