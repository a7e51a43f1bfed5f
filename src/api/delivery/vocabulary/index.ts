import type { Vocabulary } from '../../../http/openapi/openapi.words.ts';
import { objects } from './delivery-objects.vocabulary.ts';
import { featureFlagWords } from './feature-flags.vocabulary.ts';
import { releaseWords } from './releases.vocabulary.ts';
import { terraformStateWords } from './terraform-states.vocabulary.ts';

/** What this area speaks of: names of objects, and what a name means wherever it stands. */
export const vocabulary: Vocabulary = {
  entries: { ...featureFlagWords, ...releaseWords, ...terraformStateWords },
  objects,
};
