import type { Vocabulary } from '../../../http/openapi/words.ts';
import { objects } from './objects.ts';
import { relationExportWords } from './relation-exports.ts';

/** What this area speaks of: names of objects, and what a name means wherever it stands. */
export const vocabulary: Vocabulary = {
  words: { ...relationExportWords },
  objects,
};
