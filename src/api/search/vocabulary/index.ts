import type { Vocabulary } from '../../../http/openapi/openapi.words.ts';
import { FoundBlob, FoundCommit, FoundWikiBlob } from '../search.responses.ts';

/** Vocabulary of this area: names of objects, and descriptions of attributes by name. */
export const vocabulary: Vocabulary = { entries: {}, objects: { FoundBlob, FoundCommit, FoundWikiBlob } };
