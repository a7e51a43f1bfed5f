import type { Vocabulary } from '../../../http/openapi/words.ts';
import { groupWords } from './groups.ts';
import { memberRoleWords } from './member-roles.ts';
import { objects } from './objects.ts';
import { projectWords } from './projects.ts';

/** What this area speaks of: names of objects, and what a name means wherever it stands. */
export const vocabulary: Vocabulary = { words: { ...groupWords, ...memberRoleWords, ...projectWords }, objects };
