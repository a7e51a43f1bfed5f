import type { Vocabulary } from '../../../http/openapi/words.ts';
import { hookWords } from './hooks.ts';
import { objects } from './objects.ts';

/** What this area speaks of: names of objects, and what a name means wherever it stands. */
export const vocabulary: Vocabulary = { words: { ...hookWords }, objects };
