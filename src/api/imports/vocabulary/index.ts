import type { Vocabulary } from '../../../http/openapi/openapi.words.ts';
import { objects } from './imports-objects.vocabulary.ts';
import { relationExportWords } from './relation-exports.vocabulary.ts';

/** What this area speaks of: names of objects, and what a name means wherever it stands. */
export const vocabulary: Vocabulary = {
  entries: { ...relationExportWords },
  objects,
};
