import type { TSchema } from 'typebox';
import { AuditEventEntity } from '../../audit-event.ts';
import { BroadcastMessage } from '../broadcast-messages/broadcast-messages.responses.ts';

import { License, LicenseBasic } from '../license/license.responses.ts';
import { PlanLimits } from '../plan-limits/plan-limits.responses.ts';
import { GroupStorageMove, ProjectStorageMove, SnippetStorageMove } from '../storage-moves/storage-moves.responses.ts';

/** Schema names of the objects in responses of this area. */
export const objects: Readonly<Record<string, TSchema>> = {
  AuditEvent: AuditEventEntity,
  BroadcastMessage,
  License,
  LicenseBasic,
  GroupRepositoryStorageMove: GroupStorageMove,
  ProjectRepositoryStorageMove: ProjectStorageMove,
  SnippetRepositoryStorageMove: SnippetStorageMove,
  PlanLimits,
};
