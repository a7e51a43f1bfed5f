import type { Vocabulary } from '../../../http/openapi/openapi.words.ts';
import { objects } from './delivery-objects.vocabulary.ts';
import { featureFlagWords } from './feature-flags.vocabulary.ts';
import { releaseWords } from './releases.vocabulary.ts';
import { terraformStateWords } from './terraform-states.vocabulary.ts';

/** Vocabulary of this area: names of objects, and descriptions of fields and parameters by name. */
export const vocabulary: Vocabulary = {
  entries: { ...featureFlagWords, ...releaseWords, ...terraformStateWords },
  objects,
};
