import type { Vocabulary } from '../../../http/openapi/openapi.words.ts';
import { objects } from './identity-objects.vocabulary.ts';
import { peopleWords } from './people.vocabulary.ts';

/** Vocabulary of this area: names of objects, and descriptions of attributes by name. */
export const vocabulary: Vocabulary = { entries: { ...peopleWords }, objects };
