import type { Vocabulary } from '../../../http/openapi/words.ts';

/** Words of audit events. */
export const auditEventWords: Vocabulary['words'] = {
  audit_event_id: ['Id of the audit event.', 7],
};
