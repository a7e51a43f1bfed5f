import type { Vocabulary } from '../../../http/openapi/openapi.words.ts';

/** Words of audit events. */
export const auditEventWords: Vocabulary['entries'] = {
  audit_event_id: ['Id of the audit event.', 7],
};
