import type { Vocabulary } from '../../../http/openapi/openapi.words.ts';

/** Names used by runners and their machines. */
export const runnerWords: Vocabulary['entries'] = {
  runner: ['Runner of the job; null until one is assigned.', null],
  runner_manager: ['Runner machine of the job; null until one is assigned.', null],
};
