import type { Vocabulary } from '../../../http/openapi/openapi.words.ts';
import { issuableWords } from './issuables.vocabulary.ts';
import { mergingWords } from './merging.vocabulary.ts';
import { objects } from './planning-objects.vocabulary.ts';

/** Vocabulary of this area: names of objects, and descriptions of attributes by name. */
export const vocabulary: Vocabulary = { entries: { ...issuableWords, ...mergingWords }, objects };
