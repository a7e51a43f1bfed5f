import type { Static } from 'typebox';
import { parseJson } from '../../../db/columns.ts';
import type { DeployToken as DeployTokenRow } from '../../../db/tables/deploy-tokens.table.ts';
import type { Deps } from '../../../deps.ts';
import type { DeployToken } from './deploy-tokens.responses.ts';

/** Renders a deploy token, without its text. */
export function presentDeployToken(deps: Pick<Deps, 'clock'>, row: DeployTokenRow): Static<typeof DeployToken> {
  return {
    id: row.id,
    name: row.name,
    username: row.username,
    expires_at: row.expires_at,
    scopes: parseJson<string[]>(row.scopes),
    revoked: row.revoked === 1,
    expired: row.expires_at !== null && row.expires_at <= deps.clock.now().toISOString(),
  };
}
