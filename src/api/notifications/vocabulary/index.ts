import type { Vocabulary } from '../../../http/openapi/openapi.words.ts';
import { notificationWords } from './notifications.vocabulary.ts';
import { objects } from './notifications-objects.vocabulary.ts';

/** Vocabulary of this area: names of objects, and descriptions of attributes by name. */
export const vocabulary: Vocabulary = { entries: notificationWords, objects };
