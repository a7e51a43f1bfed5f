import type { Vocabulary } from '../../../http/openapi/openapi.words.ts';

/** What the words of runners and their machines mean. */
export const runnerWords: Vocabulary['entries'] = {
  runner: ['The runner that has it in hand, or had; null before.', null],
  runner_manager: ['The machine of the runner that has it in hand, or had; null before.', null],
};
