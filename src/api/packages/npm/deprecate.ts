import type { Caller } from '../../../access/caller.ts';
import { revalidateProjectAbility } from '../../../access/caller-in-project.ts';
import { timestamp } from '../../../core/clock.ts';
import { notFound } from '../../../core/core.errors.ts';
import type { Deps } from '../../../deps.ts';
import { isProtectedFrom, packageProtected } from '../../../packages/protection.ts';
import { npmError } from './npm.errors.ts';

const MAX_MESSAGE = 1_024;
/** Versions changed per statement. */
const BATCH_SIZE = 500;

/**
 * Reads deprecation messages by version; an empty message undoes the deprecation. Versions missing in the document are
 * unchanged.
 * @param document document of the package as npm received and changed it
 * @throws ApiError 400
 */
export function readDeprecations(document: Record<string, unknown>): Map<string, string> {
  const { versions } = document;
  if (typeof versions !== 'object' || versions === null) throw npmError(400, 'Version is empty.');
  const messages = new Map<string, string>();
  for (const [version, manifest] of Object.entries(versions)) {
    const message = (manifest as { deprecated?: unknown } | null)?.deprecated;
    if (typeof message !== 'string') continue;
    if (message.length > MAX_MESSAGE || message.includes('\0')) {
      throw npmError(400, `Deprecation message is too long (maximum is ${MAX_MESSAGE} characters).`);
    }
    messages.set(version, message);
  }
  return messages;
}

/** Deprecates versions of a package, or undoes that. @throws ApiError 401, 403, 404 */
export async function deprecate(
  deps: Deps,
  { caller, projectId, name }: { caller: Caller; projectId: number; name: string },
  messages: ReadonlyMap<string, string>,
): Promise<void> {
  await deps.db.transaction().execute(async (db) => {
    const scope = await revalidateProjectAbility(deps, db, caller, projectId, 'destroy_package');
    if (await isProtectedFrom({ ...deps, db }, scope, { type: 'npm', name }, 'push')) throw packageProtected();
    const rows = await db
      .selectFrom('packages')
      .select(['id', 'version_key', 'status', 'status_message'])
      .where('package_type', '=', 'npm')
      .where('name_key', '=', name)
      .where('project_id', '=', projectId)
      .where('status', 'in', ['default', 'deprecated'])
      .orderBy('id')
      .execute();
    if (rows.length === 0) throw notFound('Package');
    const updated_at = timestamp(deps.clock);
    const changed = rows.filter(({ version_key, status_message }) => {
      const message = messages.get(version_key);
      return message !== undefined && message !== (status_message ?? '');
    });
    for (const [message, group] of Map.groupBy(changed, ({ version_key }) => messages.get(version_key)!)) {
      const state = message === '' ? DEFAULT : { status: 'deprecated' as const, status_message: message };
      for (let at = 0; at < group.length; at += BATCH_SIZE) {
        const ids = group.slice(at, at + BATCH_SIZE).map(({ id }) => id);
        const still = ['default', 'deprecated'] as const;
        const update = db.updateTable('packages').set({ ...state, updated_at });
        await update.where('id', 'in', ids).where('status', 'in', still).execute();
      }
    }
  });
}

const DEFAULT = { status: 'default', status_message: null } as const;
