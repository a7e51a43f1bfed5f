import type { Vocabulary } from '../../../http/openapi/openapi.words.ts';

/** What the words of artifacts, logs and reports mean. */
export const artifactWords: Vocabulary['entries'] = {};
