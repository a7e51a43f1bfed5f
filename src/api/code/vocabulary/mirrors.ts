import type { Vocabulary } from '../../../http/openapi/words.ts';

/** Mirrors: projects that follow a repository elsewhere, and repositories elsewhere that follow a project. */
export const mirrorWords: Vocabulary['words'] = {
  update_status: ['How far the last update is.', 'finished'],
  last_error: ['Why the last update failed; null when it did not.', null],
  last_update_at: ['When the last update ended; null before the first.', '2026-03-01T09:30:00.000Z'],
  last_update_started_at: ['When the last update began; null before the first.', '2026-03-01T09:29:58.000Z'],
  last_successful_update_at: ['When an update last succeeded; null before the first.', '2026-03-01T09:30:00.000Z'],
  auth_user: ['User name at the remote repository.', 'ann'],
  auth_password: ['Password or token at the remote repository.'],
};
