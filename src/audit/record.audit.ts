import { timestamp } from '../core/clock.ts';
import { type Author, authorOf, currentScope, type Origin } from '../core/request-scope.ts';
import { truncate } from '../core/truncate.ts';
import type { Db } from '../db/db.schema.ts';
import type { AuditEntityType } from '../db/tables/audit-events.table.ts';
import type { Deps } from '../deps.ts';
import type { AuditEventName } from './names.audit.ts';

/** The project, group, user or instance that an audit event belongs to. */
export interface AuditEntity {
  type: AuditEntityType;
  id: number;
  /** Its path, if its row no longer has it. */
  path?: string;
  /** Its name, if that is not the path. */
  name?: string;
}

/** The changed object: a member, a token, a rule; the entity itself by default. */
export interface AuditTarget {
  /** Null for objects without an id. */
  id: number | string | null;
  type: string;
  /** Its name. */
  details: string;
}

export interface AuditEntry {
  name: AuditEventName;
  entity: AuditEntity;
  target?: AuditTarget;
  /** A sentence that describes the change. */
  message: string;
  /** Further details, such as `add`, `remove`, `change`, `from`, `to`. Must not contain secrets. */
  more?: Readonly<Record<string, string | number | boolean | null>>;
  /** Author, if the change does not come from a request. */
  actorId?: number | null;
  /** Author and source, if they are not those of the current request. */
  origin?: Origin;
}

export const project = (id: number): AuditEntity => ({ type: 'Project', id });
export const group = (id: number): AuditEntity => ({ type: 'Group', id });
export const user = (id: number): AuditEntity => ({ type: 'User', id });
/** The instance as audit entity. */
export const INSTANCE: AuditEntity = { type: 'Gitlab::Audit::InstanceScope', id: 1, path: 'gitlab_instance' };

/** A project or group as audit entity. */
export const auditEntity = (type: 'project' | 'group', id: number): AuditEntity => ({
  type: type === 'project' ? 'Project' : 'Group',
  id,
});

const SYSTEM: Author = { id: -1, name: '(System)', email: null, type: 'Gitlab::Audit::UnauthenticatedAuthor' };
const UNKNOWN = 'unknown';
const BATCH_SIZE = 100;
/** Maximum length of each text of an event. */
const MAX_TEXT = 1_000;

/**
 * Writes audit events in the transaction of the change, so that both are committed together. Author and source are
 * those of the current request. Names are read now, so call it before the objects are deleted.
 */
export async function recordAudit(
  { clock }: Pick<Deps, 'clock'>,
  db: Db,
  entries: AuditEntry | readonly AuditEntry[],
): Promise<void> {
  const all: readonly AuditEntry[] = 'name' in entries ? [entries] : entries;
  const { origin: asking } = currentScope();
  const created_at = timestamp(clock);
  for (let at = 0; at < all.length; at += BATCH_SIZE) {
    const some = all.slice(at, at + BATCH_SIZE);
    const entities = await named(db, some);
    const authors = asking === undefined ? await actors(db, some) : null;
    const rows = some.map(({ name, entity, target, message, more = {}, actorId, origin = asking }) => {
      const author = origin?.author ?? authors?.get(actorId ?? 0) ?? SYSTEM;
      const { path, title } = entities.get(keyOf(entity)) ?? { path: UNKNOWN, title: UNKNOWN };
      const about = target ?? { id: entity.id, type: entity.type, details: entity.name ?? title };
      const details = {
        ...Object.fromEntries(Object.entries(more).map(([key, value]) => [key, bounded(value)])),
        author_name: author.name,
        author_email: author.email,
        author_class: author.type,
        ...(origin == null || origin.sudoBy === null ? {} : { impersonated_by: origin.sudoBy }),
        target_id: about.id,
        target_type: about.type,
        target_details: bounded(about.details),
        custom_message: bounded(message),
        ip_address: origin?.address ?? null,
        entity_path: path,
      };
      return {
        author_id: author.id,
        entity_type: entity.type,
        entity_id: entity.id,
        event_name: name,
        details: JSON.stringify(details),
        target: targetKey(about),
        created_at,
      };
    });
    await db.insertInto('audit_events').values(rows).execute();
  }
}

const bounded = <T>(value: T): T | string => (typeof value === 'string' ? truncate(value, MAX_TEXT) : value);

/** The changed object in the column of targets; null for objects without an id. */
export const targetKey = ({ type, id }: Pick<AuditTarget, 'type' | 'id'>): string | null =>
  id === null ? null : `${type} ${id}`;

const keyOf = ({ type, id }: AuditEntity): string => `${type} ${id}`;

/** Path and name of the entities. */
async function named(db: Db, entries: readonly AuditEntry[]): Promise<Map<string, { path: string; title: string }>> {
  const titles = new Map<string, { path: string; title: string }>();
  const idsOf = (type: AuditEntityType) => [
    ...new Set(entries.flatMap(({ entity }) => (entity.type === type && entity.path === undefined ? entity.id : []))),
  ];
  for (const { entity } of entries) {
    if (entity.path !== undefined) titles.set(keyOf(entity), { path: entity.path, title: entity.name ?? entity.path });
  }
  for (const [type, table] of [
    ['Project', 'projects'],
    ['Group', 'namespaces'],
  ] as const) {
    const ids = idsOf(type);
    if (ids.length === 0) continue;
    const rows = await db.selectFrom(table).select(['id', 'full_path']).where('id', 'in', ids).execute();
    for (const { id, full_path } of rows) titles.set(keyOf({ type, id }), { path: full_path, title: full_path });
  }
  const users = await usersOf(db, idsOf('User'));
  for (const { id, username, name } of users) titles.set(keyOf(user(id)), { path: username, title: name });
  return titles;
}

const usersOf = async (db: Db, ids: readonly number[]) =>
  ids.length === 0
    ? []
    : db.selectFrom('users').select(['id', 'username', 'name', 'email']).where('id', 'in', ids).execute();

async function actors(db: Db, entries: readonly AuditEntry[]): Promise<Map<number, Author>> {
  const ids = [...new Set(entries.flatMap(({ actorId }) => actorId ?? []))];
  return new Map((await usersOf(db, ids)).map((row) => [row.id, authorOf(row)]));
}
