import type { Vocabulary } from '../../../http/openapi/openapi.words.ts';
import { objects } from './admin-objects.vocabulary.ts';
import { auditEventWords } from './audit-events.vocabulary.ts';
import { broadcastWords } from './broadcast-messages.vocabulary.ts';
import { licenseWords } from './license.vocabulary.ts';
import { planLimitWords } from './plan-limits.vocabulary.ts';
import { storageMoveWords } from './storage-moves.vocabulary.ts';

/** Vocabulary of this area: names of objects, and descriptions of attributes by name. */
export const vocabulary: Vocabulary = {
  entries: { ...auditEventWords, ...broadcastWords, ...licenseWords, ...planLimitWords, ...storageMoveWords },
  objects,
};
