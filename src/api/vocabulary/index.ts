import type { Vocabulary } from '../../http/openapi/words.ts';
import { commonWords } from './common.ts';
import { groupWords } from './groups.ts';
import { issuableWords } from './issuables.ts';
import { mergingWords } from './merging.ts';
import { objects } from './objects.ts';
import { peopleWords } from './people.ts';
import { projectWords } from './projects.ts';
import { repositoryWords } from './repository.ts';

/**
 * What the API speaks of: names of objects, and what a name means wherever it stands. A declaration that says something
 * itself goes before it.
 */
export const vocabulary: Vocabulary = {
  words: {
    ...commonWords,
    ...groupWords,
    ...issuableWords,
    ...mergingWords,
    ...peopleWords,
    ...projectWords,
    ...repositoryWords,
  },
  objects,
};
