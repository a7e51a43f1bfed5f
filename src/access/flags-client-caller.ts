import { isSameSecret } from '../core/core.secrets.ts';
import type { Deps } from '../deps.ts';
import { ANONYMOUS, type Caller, type FlagsClient } from './caller.ts';

/** The feature flags client state of a project, by two index lookups; undefined before the project has a client. */
function flagsClientOf({ db, snapshot }: Deps, projectId: number): Promise<FlagsClient | undefined> {
  return snapshot.get(`flags_client:${projectId}`, async () => {
    const row = await db
      .selectFrom('feature_flags_clients')
      .innerJoin('projects', 'projects.id', 'feature_flags_clients.project_id')
      .select(['token', 'version', 'feature_flags_access_level'])
      .where('project_id', '=', projectId)
      .where('pending_delete', '=', 0)
      .executeTakeFirst();
    if (row === undefined) return undefined;
    return { projectId, token: row.token, version: row.version, open: row.feature_flags_access_level !== 'disabled' };
  });
}

/**
 * Authenticates a feature flags client of a project by its instance id; it stands for no user.
 * @returns undefined if none of the secrets is the project's
 */
export async function callerOfFlagsClient(
  deps: Deps,
  projectId: number,
  secrets: readonly string[],
): Promise<Caller | undefined> {
  const client = await flagsClientOf(deps, projectId);
  if (client === undefined || !secrets.some((secret) => isSameSecret(secret, client.token))) return undefined;
  return { ...ANONYMOUS, credential: { kind: 'flags_client', client } };
}

/** Whether the instance id of a client is still valid, for checks after a wait. */
export const flagsClientExists = async (deps: Deps, { projectId, token }: FlagsClient): Promise<boolean> =>
  (await flagsClientOf(deps, projectId))?.token === token;
