import type { TSchema } from 'typebox';
import { AuditEventEntity } from '../audit-events/answers.ts';
import { BroadcastMessage } from '../broadcast-messages/answers.ts';

import { License, LicenseBasic } from '../license/answers.ts';
import { PlanLimits } from '../plan-limits/answers.ts';
import { GroupStorageMove, ProjectStorageMove, SnippetStorageMove } from '../storage-moves/answers.ts';

/** Names of the objects that answers of this area hold, in the words of the field. */
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
