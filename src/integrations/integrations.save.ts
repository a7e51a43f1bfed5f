import { type AuditEntity, group, project, recordAudit } from '../audit/record.audit.ts';
import { timestamp } from '../core/clock.ts';
import { notFound, recordNotFound } from '../core/core.errors.ts';
import { bit, parseJson } from '../db/columns.ts';
import type { Db } from '../db/db.schema.ts';
import { lockRow } from '../db/lock-row.ts';
import type { Integration } from '../db/tables/integrations.table.ts';
import type { Deps } from '../deps.ts';
import type { FlagValues } from './catalogue/catalogue.flags.ts';
import type { IntegrationKind } from './catalogue/catalogue.kinds.ts';
import {
  type EffectiveIntegration,
  type IntegrationOwner,
  inheritable,
  ownIntegration,
} from './effective-integrations.ts';
import { changedSettings, refuseIncomplete, refuseInvalid, refuseSecondTracker } from './integrations.rules.ts';
import { openSettings, type Settings, sealSettings } from './integrations.settings.ts';
import { orderKeyOf } from './order-key.ts';

/**
 * Owner of an integration, and its editor: `revalidate` refuses, within the transaction, editors who lost the right.
 */
export interface IntegrationScope {
  owner: IntegrationOwner;
  revalidate: (db: Db) => Promise<unknown>;
}

/** A requested change; absent values stay as they are. */
export interface IntegrationChange {
  settings: Settings;
  flags: FlagValues;
}

const entityOf = ({ kind, id }: IntegrationOwner): AuditEntity => (kind === 'project' ? project(id) : group(id));

const record = (
  deps: Deps,
  db: Db,
  { owner }: IntegrationScope,
  kind: IntegrationKind,
  happened: 'created' | 'updated' | 'disabled' | 'inherited',
  more = '',
): Promise<void> =>
  recordAudit(deps, db, {
    name: `integration_${happened}`,
    entity: entityOf(owner),
    target: { id: kind.slug, type: 'Integration', details: kind.title },
    message: `${happened[0]!.toUpperCase()}${happened.slice(1)} the integration ${kind.slug}${more}`,
  });

/** Locks the integrations of a project or group for a transaction. @throws ApiError 404 if it no longer exists */
async function lock(db: Db, { kind, id }: IntegrationOwner): Promise<void> {
  if (!(await lockRow(db, kind === 'project' ? 'projects' : 'namespaces', id))) throw recordNotFound();
}

/** Initial flags of a new integration, besides the defaults. */
const firstFlags = (kind: IntegrationKind): FlagValues => Object.fromEntries(kind.on.map((flag) => [flag, true]));

/** Creates or changes an integration. @throws ApiError 400, 401, 403, 404 */
export async function saveIntegration(
  deps: Deps,
  scope: IntegrationScope,
  kind: IntegrationKind,
  change: IntegrationChange,
): Promise<EffectiveIntegration> {
  const { owner } = scope;
  const settingsOf = (row: Integration | undefined) =>
    changedSettings(kind, row === undefined ? null : openSettings(deps, row), change.settings);
  // Host names are resolved before the transaction, which blocks others.
  await refuseInvalid(deps, kind, settingsOf(await ownIntegration(deps.db, owner, kind.slug)), change.settings);
  const row = await deps.db.transaction().execute(async (db) => {
    await scope.revalidate(db);
    await lock(db, owner);
    const before = await ownIntegration(db, owner, kind.slug);
    const settings = settingsOf(before);
    refuseIncomplete(kind, settings, change.settings);
    await refuseSecondTracker(db, kind, owner);
    const flags = before === undefined || before.active === 0 ? firstFlags(kind) : parseJson<FlagValues>(before.flags);
    const now = timestamp(deps.clock);
    const values = {
      active: bit(true),
      flags: JSON.stringify({ ...flags, ...change.flags }),
      settings: sealSettings(deps, settings),
      failures: 0,
      updated_at: now,
    };
    const names = Object.keys({ ...change.settings, ...change.flags }).sort();
    await record(deps, db, scope, kind, before === undefined ? 'created' : 'updated', `: ${names.join(', ')}`);
    if (before !== undefined) {
      // Waiting events are sent immediately: the change may have made the service reachable.
      await deps.jobs.retryNow(db, orderKeyOf(before.id));
      return db
        .updateTable('integrations')
        .set(values)
        .where('id', '=', before.id)
        .returningAll()
        .executeTakeFirstOrThrow();
    }
    return insert(db, owner, { slug: kind.slug, ...values, created_at: now });
  });
  deps.recent.invalidate();
  return { row, inherited: false };
}

const insert = (
  db: Db,
  { kind, id }: IntegrationOwner,
  values: Omit<Integration, 'id' | 'project_id' | 'group_id'>,
): Promise<Integration> =>
  db
    .insertInto('integrations')
    .values({ ...values, project_id: kind === 'project' ? id : null, group_id: kind === 'group' ? id : null })
    .returningAll()
    .executeTakeFirstOrThrow();

/**
 * Deletes the own integration of a kind, so that the inherited one applies.
 * @returns undefined, without a change, if there is none to inherit
 * @throws ApiError 401, 403, 404
 */
export async function inheritIntegration(
  deps: Deps,
  scope: IntegrationScope,
  kind: IntegrationKind,
): Promise<EffectiveIntegration | undefined> {
  const row = await deps.db.transaction().execute(async (db) => {
    await scope.revalidate(db);
    await lock(db, scope.owner);
    const above = await inheritable(db, scope.owner, kind.slug);
    const own = await ownIntegration(db, scope.owner, kind.slug);
    if (above !== undefined && own !== undefined) {
      await db.deleteFrom('integrations').where('id', '=', own.id).execute();
      await record(deps, db, scope, kind, 'inherited', ` from group ${above.group_id}`);
    }
    return above;
  });
  deps.recent.invalidate();
  return row && { row, inherited: true };
}

/**
 * Disables an integration and deletes its settings. An inherited one is no longer inherited.
 * @throws ApiError 401, 403, 404
 */
export async function disableIntegration(deps: Deps, scope: IntegrationScope, kind: IntegrationKind): Promise<void> {
  const { owner } = scope;
  await deps.db.transaction().execute(async (db) => {
    await scope.revalidate(db);
    await lock(db, owner);
    const own = await ownIntegration(db, owner, kind.slug);
    const above = own === undefined ? await inheritable(db, owner, kind.slug) : undefined;
    if (own === undefined && above?.active !== 1) throw notFound('Integration');
    const now = timestamp(deps.clock);
    const values = {
      active: bit(false),
      flags: '{}',
      settings: sealSettings(deps, {}),
      failures: 0,
      updated_at: now,
    };
    if (own === undefined) await insert(db, owner, { slug: kind.slug, ...values, created_at: now });
    else await db.updateTable('integrations').set(values).where('id', '=', own.id).execute();
    await record(deps, db, scope, kind, 'disabled');
  });
  deps.recent.invalidate();
}
