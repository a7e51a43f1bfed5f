import type { Vocabulary } from '../../../http/openapi/words.ts';

/** What the words of configurations mean. */
export const lintWords: Vocabulary['words'] = {};
