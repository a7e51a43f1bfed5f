import type { Vocabulary } from '../../../http/openapi/words.ts';
import { notificationWords } from './notifications.ts';
import { objects } from './objects.ts';

/** What this area speaks of: names of objects, and what a name means wherever it stands. */
export const vocabulary: Vocabulary = { words: notificationWords, objects };
