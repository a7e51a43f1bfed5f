import type { Vocabulary } from '../../../http/openapi/openapi.words.ts';
import { notificationWords } from './notifications.vocabulary.ts';
import { objects } from './notifications-objects.vocabulary.ts';

/** What this area speaks of: names of objects, and what a name means wherever it stands. */
export const vocabulary: Vocabulary = { entries: notificationWords, objects };
