import { type Static, Type } from 'typebox';
import { AUDIT_ENTITY_TYPES } from '../../../db/tables/audit-events.table.ts';
import { Enum, Instant, pagination } from '../../../http/http.schema.ts';

const filters = {
  created_after: Type.Optional(Instant({ description: 'Only what happened then or later.' })),
  created_before: Type.Optional(Instant({ description: 'Only what happened then or earlier.' })),
  author_id: Type.Optional(Type.Integer({ description: 'Only what this user did.' })),
};

const paging = {
  pagination: Type.Optional(Enum(['keyset', 'legacy'], { description: 'How the list is cut into pages.' })),
  order_by: Type.Optional(Enum(['id'], { description: 'The one order there is.' })),
  sort: Type.Optional(Enum(['desc'], { description: 'The newest first: the one direction there is.' })),
  cursor: Type.Optional(Type.String({ description: 'Where the keyset page begins; from the link to the next page.' })),
  ...pagination,
};

/** Parameters of the lists of groups and projects. */
export const ListAuditEvents = Type.Object({ ...filters, ...paging });

/** Parameters of the list of the whole server. */
export const ListInstanceAuditEvents = Type.Object({
  ...filters,
  entity_type: Type.Optional(Enum(AUDIT_ENTITY_TYPES, { description: 'Only what is about things of this type.' })),
  entity_id: Type.Optional(
    Type.Integer({ description: 'Only what is about the thing of this id; `entity_type` has to be given, too.' }),
  ),
  ...paging,
});
export type AuditEventFilters = Static<typeof ListInstanceAuditEvents>;
