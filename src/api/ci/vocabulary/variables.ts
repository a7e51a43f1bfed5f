import type { Vocabulary } from '../../../http/openapi/words.ts';

/** What the words of variables mean. */
export const variableWords: Vocabulary['words'] = {};
