import type { Vocabulary } from '../../../http/openapi/openapi.words.ts';
import { objects } from './admin-objects.vocabulary.ts';
import { auditEventWords } from './audit-events.vocabulary.ts';
import { broadcastWords } from './broadcast-messages.vocabulary.ts';
import { licenseWords } from './license.vocabulary.ts';
import { planLimitWords } from './plan-limits.vocabulary.ts';
import { storageMoveWords } from './storage-moves.vocabulary.ts';

/** What this area speaks of: names of objects, and what a name means wherever it stands. */
export const vocabulary: Vocabulary = {
  entries: { ...auditEventWords, ...broadcastWords, ...licenseWords, ...planLimitWords, ...storageMoveWords },
  objects,
};
