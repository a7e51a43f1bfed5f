import { type AuditEntry, auditEntity, recordAudit } from '../../../audit/record.audit.ts';
import { timestamp } from '../../../core/clock.ts';
import { invalidModel } from '../../../core/core.errors.ts';
import { randomText, tokenDigest } from '../../../core/core.secrets.ts';
import type { DeployToken } from '../../../db/tables/deploy-tokens.table.ts';
import type { Deps } from '../../../deps.ts';
import type { Change } from '../members/members.writes.ts';
import { revalidateSourceAbility, type SourceAbilities } from '../spaces.source.ts';

/** Ability for managing deploy tokens, in projects and groups. */
export const MANAGE_DEPLOY_TOKENS = {
  project: 'admin_deploy_tokens',
  group: 'admin_group_deploy_tokens',
} as const satisfies SourceAbilities;

export interface NewDeployToken {
  name: string;
  scopes: readonly string[];
  expiresAt: string | null;
  /** Derived from the id when absent. */
  username: string | undefined;
}

/** Creates a deploy token; only the result contains its text. @throws ApiError 400 */
export async function createDeployToken(
  deps: Deps,
  { source, caller, actor }: Change,
  input: NewDeployToken,
): Promise<{ row: DeployToken; token: string }> {
  if (input.scopes.length === 0) throw invalidModel({ base: ["Scopes can't be blank"] });
  const { username = '' } = input;
  if (username !== '' && !/^[A-Za-z0-9._+-]+$/.test(username)) {
    throw invalidModel({ username: ["can contain only letters, digits, '_', '-', '+', and '.'"] });
  }
  const token = `gldt-${randomText(26)}`;
  const row = await deps.db.transaction().execute(async (db) => {
    await revalidateSourceAbility(deps, db, caller, source, MANAGE_DEPLOY_TOKENS);
    const inserted = await db
      .insertInto('deploy_tokens')
      .values({
        name: input.name,
        username,
        digest: tokenDigest(token),
        scopes: JSON.stringify([...new Set(input.scopes)]),
        expires_at: input.expiresAt,
        created_at: timestamp(deps.clock),
        creator_id: actor.id,
        source_type: source.kind,
        source_id: source.id,
      })
      .returningAll()
      .executeTakeFirstOrThrow();
    await recordAudit(deps, db, entryOf(inserted, 'created'));
    if (username !== '') return inserted;
    return db
      .updateTable('deploy_tokens')
      .set({ username: `gitlab+deploy-token-${inserted.id}` })
      .where('id', '=', inserted.id)
      .returningAll()
      .executeTakeFirstOrThrow();
  });
  return { row, token };
}

/** Deletes a deploy token, effective immediately. @throws ApiError 401, 403, 404 */
export async function removeDeployToken(deps: Deps, { source, caller }: Change, token: DeployToken): Promise<void> {
  await deps.db.transaction().execute(async (db) => {
    await revalidateSourceAbility(deps, db, caller, source, MANAGE_DEPLOY_TOKENS);
    const { numDeletedRows } = await db.deleteFrom('deploy_tokens').where('id', '=', token.id).executeTakeFirst();
    if (numDeletedRows > 0n) await recordAudit(deps, db, entryOf(token, 'destroyed'));
  });
}

function entryOf(token: DeployToken, action: 'created' | 'destroyed'): AuditEntry {
  const { id, name, source_type, source_id } = token;
  const scopes = (JSON.parse(token.scopes) as string[]).join(', ');
  return {
    name: source_type === 'group' ? `group_deploy_token_${action}` : `deploy_token_${action}`,
    entity: auditEntity(source_type, source_id),
    target: { id, type: 'DeployToken', details: name },
    message:
      action === 'created'
        ? `Created ${source_type} deploy token with id ${id} and scopes ${scopes}`
        : `Destroyed ${source_type} deploy token with id ${id}`,
  };
}
