import type { Vocabulary } from '../../../http/openapi/words.ts';
import { featureFlagWords } from './feature-flags.ts';
import { objects } from './objects.ts';
import { releaseWords } from './releases.ts';
import { terraformStateWords } from './terraform-states.ts';

/** What this area speaks of: names of objects, and what a name means wherever it stands. */
export const vocabulary: Vocabulary = {
  words: { ...featureFlagWords, ...releaseWords, ...terraformStateWords },
  objects,
};
