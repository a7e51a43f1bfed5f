import type { Vocabulary } from '../../../http/openapi/openapi.words.ts';
import { objects } from './identity-objects.vocabulary.ts';
import { peopleWords } from './people.vocabulary.ts';

/** What this area speaks of: names of objects, and what a name means wherever it stands. */
export const vocabulary: Vocabulary = { entries: { ...peopleWords }, objects };
