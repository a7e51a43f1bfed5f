import type { Vocabulary } from '../../../http/openapi/openapi.words.ts';
import { packageWords } from './packages.vocabulary.ts';
import { objects } from './packages-objects.vocabulary.ts';

/** What this area speaks of: names of objects, and what a name means wherever it stands. */
export const vocabulary: Vocabulary = { entries: packageWords, objects };
