import type { Vocabulary } from '../../../http/openapi/openapi.words.ts';

/** Names used by artifacts, logs and reports. */
export const artifactWords: Vocabulary['entries'] = {};
