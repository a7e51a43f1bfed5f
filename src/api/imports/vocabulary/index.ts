import type { Vocabulary } from '../../../http/openapi/openapi.words.ts';
import { objects } from './imports-objects.vocabulary.ts';
import { relationExportWords } from './relation-exports.vocabulary.ts';

/** Vocabulary of this area: names of objects, and descriptions of fields and parameters by name. */
export const vocabulary: Vocabulary = {
  entries: { ...relationExportWords },
  objects,
};
