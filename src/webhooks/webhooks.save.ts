import { randomUUID } from 'node:crypto';
import { group, INSTANCE, project, recordAudit } from '../audit/record.audit.ts';
import { timestamp } from '../core/clock.ts';
import { recordNotFound } from '../core/core.errors.ts';
import { bit, parseJson } from '../db/columns.ts';
import type { Db } from '../db/db.schema.ts';
import { lockInstance, lockRow } from '../db/lock-row.ts';
import type { BranchFilter, WebHook } from '../db/tables/web-hooks.table.ts';
import type { Deps } from '../deps.ts';
import { changedSecrets, type SecretsChange } from './changed-secrets.ts';
import { orderKeyOf } from './deliver.ts';
import { NO_FAILURES } from './health.ts';
import { type HookSecrets, openSecrets, sealSecrets } from './hook-secrets.ts';
import { findHook, type HookOwner, hooksOf } from './webhooks.find.ts';
import { refuseAddress, refusedHook, refuseInvalid, refuseMissing } from './webhooks.rules.ts';

/** Maximum number of hooks of a project, a group, and the server. */
const MAX = { project: 100, group: 50, system: 1_000 } as const;

/** A requested change of a hook; absent values stay as they are. */
export interface HookChange extends SecretsChange {
  name?: string | null;
  description?: string | null;
  /** By trigger: whether the hook is subscribed. */
  triggers?: Readonly<Record<string, boolean>>;
  enable_ssl_verification?: boolean;
  branch_filter_strategy?: BranchFilter;
  push_events_branch_filter?: string | null;
  custom_webhook_template?: string | null;
}

/** Owner of hooks, and their editor: `revalidate` refuses, within the transaction, editors who lost the right. */
export interface HookScope {
  owner: HookOwner;
  revalidate: (db: Db) => Promise<unknown>;
}

const entityOf = (owner: HookOwner) =>
  owner.kind === 'system' ? INSTANCE : owner.kind === 'project' ? project(owner.id) : group(owner.id);

const TYPES = { project: 'ProjectHook', group: 'GroupHook', system: 'SystemHook' } as const;

const record = (
  deps: Deps,
  db: Db,
  { owner }: HookScope,
  { id, name }: WebHook,
  happened: 'created' | 'updated' | 'destroyed',
  more = '',
): Promise<void> =>
  recordAudit(deps, db, {
    name: `webhook_${happened}`,
    entity: entityOf(owner),
    target: { id, type: TYPES[owner.kind], details: name || `Hook ${id}` },
    message: `${happened[0]!.toUpperCase()}${happened.slice(1)} ${owner.kind} webhook with id ${id}${more}`,
  });

/** Locks the hooks of an owner for a transaction. @throws ApiError 404 if the owner no longer exists */
async function lock(db: Db, owner: HookOwner): Promise<void> {
  if (owner.kind === 'system') return lockInstance(db);
  if (!(await lockRow(db, owner.kind === 'project' ? 'projects' : 'namespaces', owner.id))) throw recordNotFound();
}

/** Columns of a hook after a change. */
function columnsOf(change: HookChange, before: Omit<WebHook, 'id'>) {
  const triggers = new Set(parseJson<string[]>(before.triggers));
  for (const [trigger, isEnabled] of Object.entries(change.triggers ?? {})) {
    if (isEnabled) triggers.add(trigger);
    else triggers.delete(trigger);
  }
  const strategy = change.branch_filter_strategy ?? before.branch_filter_strategy;
  const filter = change.push_events_branch_filter ?? before.push_events_branch_filter;
  const text = (input: string | null | undefined, old: string | null) => (input === undefined ? old : input || null);
  return {
    name: text(change.name, before.name),
    description: text(change.description, before.description),
    triggers: JSON.stringify([...triggers]),
    enable_ssl_verification: bit(change.enable_ssl_verification ?? before.enable_ssl_verification === 1),
    branch_filter_strategy: strategy,
    push_events_branch_filter: strategy === 'all_branches' ? null : filter || null,
    custom_webhook_template: text(change.custom_webhook_template, before.custom_webhook_template),
  };
}

/**
 * Creates a hook.
 * @param triggers default triggers
 * @throws ApiError 401, 403, 404, 422
 */
export async function createHook(
  deps: Deps,
  scope: HookScope,
  change: HookChange & { url: string },
  triggers: readonly string[],
): Promise<WebHook> {
  const { owner } = scope;
  const now = timestamp(deps.clock);
  const blank: Omit<WebHook, 'id'> = {
    uuid: randomUUID(),
    project_id: owner.kind === 'project' ? owner.id : null,
    group_id: owner.kind === 'group' ? owner.id : null,
    name: null,
    description: null,
    triggers: JSON.stringify(triggers),
    enable_ssl_verification: 1,
    branch_filter_strategy: 'wildcard',
    push_events_branch_filter: null,
    custom_webhook_template: null,
    secrets: '',
    failures: 0,
    disabled_until: null,
    created_at: now,
    updated_at: now,
  };
  const row = { ...blank, ...columnsOf(change, blank) };
  const secrets = changedSecrets(null, change);
  refuseInvalid({ row, secrets }, true);
  await refuseAddress(deps, secrets, owner.kind === 'system');
  const made = await deps.db.transaction().execute(async (db) => {
    await scope.revalidate(db);
    await lock(db, owner);
    await refuseTooMany(db, owner);
    const inserted = await db
      .insertInto('web_hooks')
      .values({ ...row, secrets: sealSecrets(deps, secrets) })
      .returningAll()
      .executeTakeFirstOrThrow();
    await record(deps, db, scope, inserted, 'created');
    return inserted;
  });
  deps.recent.invalidate();
  return made;
}

async function refuseTooMany(db: Db, owner: HookOwner): Promise<void> {
  const limit = MAX[owner.kind];
  const rows = await hooksOf(db, owner).clearSelect().select('id').limit(limit).execute();
  if (rows.length >= limit) throw refusedHook(`Maximum number of ${owner.kind} hooks (${limit}) exceeded`);
}

/** Changes a hook. @throws ApiError 401, 403, 404, 422 */
export async function updateHook(deps: Deps, scope: HookScope, id: number, change: HookChange): Promise<WebHook> {
  const { owner } = scope;
  const secretsOf = (hook: WebHook) => changedSecrets(openSecrets(deps, hook), change);
  const newSecrets = secretsOf(await findHook(deps.db, owner, id));
  // Host names are resolved before the transaction, which blocks others.
  if (change.url !== undefined || change.url_variables !== undefined) {
    await refuseAddress(deps, newSecrets, owner.kind === 'system');
  }
  const changed = await deps.db.transaction().execute(async (db) => {
    await scope.revalidate(db);
    await lock(db, owner);
    const before = await findHook(db, owner, id);
    const row = columnsOf(change, before);
    const secrets = secretsOf(before);
    refuseInvalid({ row, secrets }, false);
    if (change.url !== undefined) refuseMissing(secrets);
    const anew = row.enable_ssl_verification !== before.enable_ssl_verification;
    const after = await update(deps, db, before, row, secrets, anew);
    await record(deps, db, scope, after, 'updated', `: ${Object.keys(change).sort().join(', ')}`);
    return after;
  });
  deps.recent.invalidate();
  return changed;
}

/**
 * Updates a hook. A change of URL or secrets resets its failures and ends its pause, so that waiting deliveries run
 * immediately.
 * @param anew whether calls may have another result for another reason
 */
async function update(
  deps: Deps,
  db: Db,
  before: WebHook,
  columns: Partial<WebHook>,
  secrets: HookSecrets,
  anew = false,
): Promise<WebHook> {
  const same = JSON.stringify(secrets) === JSON.stringify(openSecrets(deps, before));
  const restart = anew || !same;
  const after = await db
    .updateTable('web_hooks')
    .set({
      ...columns,
      ...(same ? {} : { secrets: sealSecrets(deps, secrets) }),
      ...(restart ? NO_FAILURES : {}),
      updated_at: timestamp(deps.clock),
    })
    .where('id', '=', before.id)
    .returningAll()
    .executeTakeFirstOrThrow();
  if (restart) await deps.jobs.retryNow(db, orderKeyOf(before.id));
  return after;
}

/**
 * Changes the secrets of a hook.
 * @param change returns the new secrets; may throw
 * @param auditMessage description of the change for the audit event
 * @throws ApiError 401, 403, 404, 422; whatever `change` throws
 */
export async function changeSecrets(
  deps: Deps,
  scope: HookScope,
  id: number,
  change: (before: HookSecrets) => HookSecrets,
  auditMessage: string,
): Promise<void> {
  const { owner } = scope;
  await refuseAddress(deps, change(openSecrets(deps, await findHook(deps.db, owner, id))), owner.kind === 'system');
  await deps.db.transaction().execute(async (db) => {
    await scope.revalidate(db);
    await lock(db, owner);
    const row = await findHook(db, owner, id);
    const secrets = change(openSecrets(deps, row));
    refuseInvalid({ row, secrets }, false);
    refuseMissing(secrets);
    await update(deps, db, row, {}, secrets);
    await record(deps, db, scope, row, 'updated', `: ${auditMessage}`);
  });
}

/** Deletes a hook with its waiting deliveries and its log. @throws ApiError 401, 403, 404 */
export async function removeHook(deps: Deps, scope: HookScope, id: number): Promise<void> {
  await deps.db.transaction().execute(async (db) => {
    await scope.revalidate(db);
    const hook = await findHook(db, scope.owner, id);
    await db.deleteFrom('web_hooks').where('id', '=', id).execute();
    await record(deps, db, scope, hook, 'destroyed');
  });
  deps.recent.invalidate();
}
