import type { Vocabulary } from '../../../http/openapi/openapi.words.ts';
import { hookWords } from './hooks.vocabulary.ts';
import { objects } from './integrations-objects.vocabulary.ts';

/** What this area speaks of: names of objects, and what a name means wherever it stands. */
export const vocabulary: Vocabulary = { entries: { ...hookWords }, objects };
