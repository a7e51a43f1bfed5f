import type { Vocabulary } from '../../../http/openapi/words.ts';

/** What the words of runners and their machines mean. */
export const runnerWords: Vocabulary['words'] = {};
