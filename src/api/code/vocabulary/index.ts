import type { Vocabulary } from '../../../http/openapi/words.ts';
import { mirrorWords } from './mirrors.ts';
import { objects } from './objects.ts';
import { pushRuleWords } from './push-rules.ts';
import { repositoryWords } from './repository.ts';
import { wikiWords } from './wikis.ts';

/** What this area speaks of: names of objects, and what a name means wherever it stands. */
export const vocabulary: Vocabulary = {
  words: { ...mirrorWords, ...pushRuleWords, ...repositoryWords, ...wikiWords },
  objects,
};
