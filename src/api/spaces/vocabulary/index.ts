import type { Vocabulary } from '../../../http/openapi/openapi.words.ts';
import { groupWords } from './groups.vocabulary.ts';
import { memberRoleWords } from './member-roles.vocabulary.ts';
import { projectWords } from './projects.vocabulary.ts';
import { objects } from './spaces-objects.vocabulary.ts';

/** Vocabulary of this area: names of objects, and descriptions of fields and parameters by name. */
export const vocabulary: Vocabulary = { entries: { ...groupWords, ...memberRoleWords, ...projectWords }, objects };
