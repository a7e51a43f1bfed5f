import type { Vocabulary } from '../../../http/openapi/openapi.words.ts';

/** Names used by pull mirrors and push mirrors. */
export const mirrorWords: Vocabulary['entries'] = {
  update_status: ['Status of the last update.', 'finished'],
  last_error: ['Error of the last update; null if it succeeded.', null],
  last_update_at: ['When the last update ended; null if there was none.', '2026-03-01T09:30:00.000Z'],
  last_update_started_at: ['When the last update started; null if there was none.', '2026-03-01T09:29:58.000Z'],
  last_successful_update_at: [
    'When the last successful update ended; null if there was none.',
    '2026-03-01T09:30:00.000Z',
  ],
  auth_user: ['User name at the remote repository.', 'ann'],
  auth_password: ['Password or token at the remote repository.'],
  mirror_id: ['Id of the push mirror.', 5],
  only_protected_branches: ['Whether only protected branches are mirrored.', false],
  keep_divergent_refs: ['Whether diverged branches of the remote repository are kept.', false],
  auth_method: ['Authentication method: by password, or by an SSH key of the mirror.', 'password'],
  host_keys: ['Host keys of the SSH server when it was first contacted.'],
  fingerprint_sha256: ['SHA-256 fingerprint of the key.', 'SHA256:nUhzNyftwADy8AH3wFY31tAKs7HufskYTte2aXo/lCg'],
};
