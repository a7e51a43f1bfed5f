import type { Vocabulary } from '../../../http/openapi/openapi.words.ts';
import { hookWords } from './hooks.vocabulary.ts';
import { objects } from './integrations-objects.vocabulary.ts';

/** Vocabulary of this area: names of objects, and descriptions of fields and parameters by name. */
export const vocabulary: Vocabulary = { entries: { ...hookWords }, objects };
