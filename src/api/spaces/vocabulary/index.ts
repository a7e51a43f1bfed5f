import type { Vocabulary } from '../../../http/openapi/openapi.words.ts';
import { groupWords } from './groups.vocabulary.ts';
import { memberRoleWords } from './member-roles.vocabulary.ts';
import { projectWords } from './projects.vocabulary.ts';
import { objects } from './spaces-objects.vocabulary.ts';

/** What this area speaks of: names of objects, and what a name means wherever it stands. */
export const vocabulary: Vocabulary = { entries: { ...groupWords, ...memberRoleWords, ...projectWords }, objects };
