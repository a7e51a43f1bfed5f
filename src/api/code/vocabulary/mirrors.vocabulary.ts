import type { Vocabulary } from '../../../http/openapi/openapi.words.ts';

/** Mirrors: projects that follow a repository elsewhere, and repositories elsewhere that follow a project. */
export const mirrorWords: Vocabulary['entries'] = {
  update_status: ['How far the last update is.', 'finished'],
  last_error: ['Why the last update failed; null when it did not.', null],
  last_update_at: ['When the last update ended; null before the first.', '2026-03-01T09:30:00.000Z'],
  last_update_started_at: ['When the last update began; null before the first.', '2026-03-01T09:29:58.000Z'],
  last_successful_update_at: ['When an update last succeeded; null before the first.', '2026-03-01T09:30:00.000Z'],
  auth_user: ['User name at the remote repository.', 'ann'],
  auth_password: ['Password or token at the remote repository.'],
  mirror_id: ['Id of the push mirror.', 5],
  only_protected_branches: ['Whether only protected branches go along.', false],
  keep_divergent_refs: ['Whether branches with commits of their own there stay as they are.', false],
  auth_method: ['How the server signs in: by user and password of the address, or by a key of its own.', 'password'],
  host_keys: ['Keys that the host of an SSH address had at first.'],
  fingerprint_sha256: ['SHA-256 fingerprint of the key.', 'SHA256:nUhzNyftwADy8AH3wFY31tAKs7HufskYTte2aXo/lCg'],
};
