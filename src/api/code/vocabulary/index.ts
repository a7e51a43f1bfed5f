import type { Vocabulary } from '../../../http/openapi/openapi.words.ts';
import { objects } from './code-objects.vocabulary.ts';
import { mirrorWords } from './mirrors.vocabulary.ts';
import { pushRuleWords } from './push-rules.vocabulary.ts';
import { repositoryWords } from './repository.vocabulary.ts';
import { wikiWords } from './wikis.vocabulary.ts';

/** What this area speaks of: names of objects, and what a name means wherever it stands. */
export const vocabulary: Vocabulary = {
  entries: { ...mirrorWords, ...pushRuleWords, ...repositoryWords, ...wikiWords },
  objects,
};
