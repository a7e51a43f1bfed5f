import type { Vocabulary } from '../../../http/openapi/openapi.words.ts';
import { objects } from './code-objects.vocabulary.ts';
import { mirrorWords } from './mirrors.vocabulary.ts';
import { pushRuleWords } from './push-rules.vocabulary.ts';
import { repositoryWords } from './repository.vocabulary.ts';
import { wikiWords } from './wikis.vocabulary.ts';

/** Vocabulary of this area: names of objects, and descriptions of fields and parameters by name. */
export const vocabulary: Vocabulary = {
  entries: { ...mirrorWords, ...pushRuleWords, ...repositoryWords, ...wikiWords },
  objects,
};
