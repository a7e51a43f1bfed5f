import type { Vocabulary } from '../../../http/openapi/openapi.words.ts';
import { issuableWords } from './issuables.vocabulary.ts';
import { mergingWords } from './merging.vocabulary.ts';
import { objects } from './planning-objects.vocabulary.ts';

/** What this area speaks of: names of objects, and what a name means wherever it stands. */
export const vocabulary: Vocabulary = { entries: { ...issuableWords, ...mergingWords }, objects };
