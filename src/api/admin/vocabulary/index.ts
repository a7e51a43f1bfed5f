import type { Vocabulary } from '../../../http/openapi/words.ts';
import { auditEventWords } from './audit-events.ts';
import { broadcastWords } from './broadcast-messages.ts';
import { licenseWords } from './license.ts';
import { objects } from './objects.ts';
import { planLimitWords } from './plan-limits.ts';
import { storageMoveWords } from './storage-moves.ts';

/** What this area speaks of: names of objects, and what a name means wherever it stands. */
export const vocabulary: Vocabulary = {
  words: { ...auditEventWords, ...broadcastWords, ...licenseWords, ...planLimitWords, ...storageMoveWords },
  objects,
};
