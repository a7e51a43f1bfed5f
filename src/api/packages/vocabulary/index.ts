import type { Vocabulary } from '../../../http/openapi/openapi.words.ts';
import { packageWords } from './packages.vocabulary.ts';
import { objects } from './packages-objects.vocabulary.ts';

/** Vocabulary of this area: names of objects, and descriptions of fields and parameters by name. */
export const vocabulary: Vocabulary = { entries: packageWords, objects };
