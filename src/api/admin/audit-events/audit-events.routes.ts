import { Type } from 'typebox';
import { auditEvents, findAuditEvent } from '../../../audit/read.audit.ts';
import { invalidParameter } from '../../../core/core.errors.ts';
import { readTextCursor, writeCursor } from '../../../http/http.cursor.ts';
import { type BaseContext, route } from '../../../http/http.route.ts';
import { byKeyset } from '../../../http/listing.ts';
import { inGroup, inProject, onServer, requireUser } from '../../api.access.ts';
import { AuditEventEntity, presentAuditEvent } from '../../audit-event.ts';
import { type AuditEventFilters, ListAuditEvents, ListInstanceAuditEvents } from './audit-events.inputs.ts';

const eventId = Type.Object({ audit_event_id: Type.Integer() });
const OWN = 'Developers see their own events only. Newest first; events stay when their entity is renamed or deleted.';
const list = { status: 200, schema: Type.Array(AuditEventEntity) } as const;
const one = { status: 200, schema: AuditEventEntity } as const;

/** Answers a page of events. @param authorId only events of this author */
function answerPage(c: BaseContext, filters: AuditEventFilters, authorId?: number) {
  const { pagination, cursor, ...chosen } = filters;
  const isKeyset = pagination === 'keyset';
  const after = isKeyset && cursor !== undefined && cursor !== '' ? readTextCursor(cursor) : undefined;
  const query = auditEvents(c.deps.db, { ...chosen, after }, authorId);
  const list = isKeyset
    ? byKeyset(query, ({ created_at, id }) => ({ cursor: writeCursor({ value: created_at, id }) }))
    : query;
  return c.page(list, (rows) => rows.map(presentAuditEvent));
}

/** Audit events: changes of access, tokens, protection and settings (public documentation, "Audit events API"). */
export const auditEventRoutes = [
  route({
    method: 'GET',
    path: '/audit_events',
    plan: 'premium',
    summary: 'List the audit events of the server',
    description: 'Includes events of all projects, groups and users. Newest first.',
    access: onServer('read_audit_events'),
    input: ListInstanceAuditEvents,
    success: list,
    errors: [400],
    handler: (c) => {
      if (c.input.entity_id !== undefined && c.input.entity_type === undefined) {
        throw invalidParameter('entity_type is missing');
      }
      return answerPage(c, c.input);
    },
  }),
  route({
    method: 'GET',
    path: '/audit_events/:id',
    plan: 'premium',
    summary: 'Get an audit event of the server',
    access: onServer('read_audit_events'),
    params: Type.Object({ id: Type.Integer() }),
    success: one,
    errors: [404],
    handler: async ({ deps, params }) => presentAuditEvent(await findAuditEvent(deps.db, params.id)),
  }),
  route({
    method: 'GET',
    path: '/groups/:id/audit_events',
    plan: 'premium',
    summary: 'List the audit events of a group',
    description: `Without events of its subgroups and projects. ${OWN}`,
    access: inGroup('read_own_group_audit_events'),
    input: ListAuditEvents,
    success: list,
    errors: [400],
    handler: (c) => {
      const all = c.permissions.can('read_group_audit_events');
      const filters = { ...c.input, entity_type: 'Group', entity_id: c.group.id } as const;
      return answerPage(c, filters, all ? undefined : requireUser(c.caller).user.id);
    },
  }),
  route({
    method: 'GET',
    path: '/groups/:id/audit_events/:audit_event_id',
    plan: 'premium',
    summary: 'Get an audit event of a group',
    access: inGroup('read_group_audit_events'),
    params: eventId,
    success: one,
    errors: [404],
    handler: async ({ deps, group, params }) =>
      presentAuditEvent(await findAuditEvent(deps.db, params.audit_event_id, { type: 'Group', id: group.id })),
  }),
  route({
    method: 'GET',
    path: '/projects/:id/audit_events',
    plan: 'premium',
    summary: 'List the audit events of a project',
    description: OWN,
    access: inProject('read_own_audit_events'),
    input: ListAuditEvents,
    success: list,
    errors: [400],
    handler: (c) => {
      const all = c.permissions.can('read_project_audit_events');
      const filters = { ...c.input, entity_type: 'Project', entity_id: c.project.id } as const;
      return answerPage(c, filters, all ? undefined : requireUser(c.caller).user.id);
    },
  }),
  route({
    method: 'GET',
    path: '/projects/:id/audit_events/:audit_event_id',
    plan: 'premium',
    summary: 'Get an audit event of a project',
    access: inProject('read_project_audit_events'),
    params: eventId,
    success: one,
    errors: [404],
    handler: async ({ deps, project, params }) =>
      presentAuditEvent(await findAuditEvent(deps.db, params.audit_event_id, { type: 'Project', id: project.id })),
  }),
];
