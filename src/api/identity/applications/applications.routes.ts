import { randomBytes } from 'node:crypto';
import { type Static, Type } from 'typebox';
import { OAUTH_SCOPES } from '../../../access/token-scopes.ts';
import { type AuditEntry, INSTANCE, recordAudit } from '../../../audit/record.audit.ts';
import { timestamp } from '../../../core/clock.ts';
import { invalidModel, notFound } from '../../../core/core.errors.ts';
import { tokenDigest } from '../../../core/core.secrets.ts';
import { bit } from '../../../db/columns.ts';
import type { OauthApplication } from '../../../db/tables/oauth-applications.table.ts';
import { route } from '../../../http/http.route.ts';
import { Filled, pagination } from '../../../http/http.schema.ts';
import { administrator, onServer } from '../../api.access.ts';

const fields = {
  id: Type.Integer(),
  application_id: Type.String(),
  application_name: Type.String(),
  callback_url: Type.String(),
  confidential: Type.Boolean(),
};
const Application = Type.Object(fields);
const ApplicationWithSecret = Type.Object({
  ...fields,
  secret: Type.String({ description: 'The secret itself; only this response contains it.' }),
});

const present = (row: OauthApplication): Static<typeof Application> => ({
  id: row.id,
  application_id: row.uid,
  application_name: row.name,
  callback_url: row.redirect_uri,
  confidential: row.confidential === 1,
});

/** Audit entry about an application, with its name, never its secret. */
const entryOf = (
  { id, name }: Pick<OauthApplication, 'id' | 'name'>,
  happened: 'created' | 'deleted' | 'secret_updated',
  message: string,
): AuditEntry => ({
  name: `oauth_application_${happened}`,
  entity: INSTANCE,
  target: { id, type: 'Authn::OauthApplication', details: name },
  message,
});

const newSecret = (): string => `gloas-${randomBytes(32).toString('hex')}`;

/** URI schemes that execute their content. */
const FORBIDDEN_SCHEMES = ['javascript:', 'data:', 'vbscript:'];

/** Validates a list of redirect URIs, one per line; returns the errors. */
function redirectErrors(text: string): string[] {
  const lines = text.split(/\s+/).filter(Boolean);
  if (lines.length > 100) return ['is too long'];
  for (const line of lines) {
    if (line === 'urn:ietf:wg:oauth:2.0:oob') continue;
    if (!URL.canParse(line)) return ['must be an absolute URI.'];
    const { protocol, hash } = new URL(line);
    if (FORBIDDEN_SCHEMES.includes(protocol)) return ['is forbidden by the server.'];
    if (hash !== '') return ['cannot contain a fragment.'];
  }
  return [];
}

function scopesOf(text: string): string[] {
  const scopes = [...new Set(text.split(/[\s,]+/).filter(Boolean))];
  if (scopes.length === 0) throw invalidModel({ scopes: ["can't be blank"] });
  const known: readonly string[] = OAUTH_SCOPES;
  if (!scopes.every((scope) => known.includes(scope))) {
    throw invalidModel({ scopes: ["doesn't match configured on the server."] });
  }
  return scopes;
}

const one = Type.Object({ id: Type.Integer() });

/** OAuth 2 applications of the whole installation. */
export const applicationRoutes = [
  route({
    method: 'GET',
    path: '/applications',
    summary: 'List OAuth applications',
    access: administrator,
    input: Type.Object(pagination),
    success: { status: 200, schema: Type.Array(Application) },
    handler: (c) =>
      c.page(c.deps.db.selectFrom('oauth_applications').selectAll().orderBy('id'), (rows) => rows.map(present)),
  }),
  route({
    method: 'POST',
    path: '/applications',
    summary: 'Create an OAuth application',
    access: onServer('admin_applications'),
    input: Type.Object({
      name: Filled({ maxLength: 255 }),
      redirect_uri: Filled({ maxLength: 65_536, description: 'Redirect URIs, one per line.' }),
      scopes: Filled({ description: 'Scopes, separated by spaces.' }),
      confidential: Type.Optional(
        Type.Boolean({ description: 'Whether the application can keep a secret; defaults to true.' }),
      ),
    }),
    success: { status: 201, schema: ApplicationWithSecret },
    errors: [400],
    handler: async ({ deps, input }) => {
      const errors = redirectErrors(input.redirect_uri);
      if (errors.length > 0) throw invalidModel({ redirect_uri: errors });
      const secret = newSecret();
      const values = {
        uid: randomBytes(32).toString('hex'),
        secret_digest: tokenDigest(secret),
        name: input.name,
        redirect_uri: input.redirect_uri,
        scopes: JSON.stringify(scopesOf(input.scopes)),
        confidential: bit(input.confidential ?? true),
        created_at: timestamp(deps.clock),
      };
      const row = await deps.db.transaction().execute(async (db) => {
        const made = await db.insertInto('oauth_applications').values(values).returningAll().executeTakeFirstOrThrow();
        await recordAudit(deps, db, entryOf(made, 'created', 'Added OAuth application'));
        return made;
      });
      return { ...present(row), secret };
    },
  }),
  route({
    method: 'DELETE',
    path: '/applications/:id',
    summary: 'Delete an OAuth application with its tokens',
    access: onServer('admin_applications'),
    params: one,
    success: { status: 204, empty: true },
    errors: [404],
    handler: async ({ deps, params }) => {
      await deps.db.transaction().execute(async (db) => {
        const [gone] = await db
          .deleteFrom('oauth_applications')
          .where('id', '=', params.id)
          .returning(['id', 'name'])
          .execute();
        if (gone === undefined) throw notFound('Application');
        await recordAudit(deps, db, entryOf(gone, 'deleted', 'Removed OAuth application'));
      });
    },
  }),
  route({
    method: 'POST',
    path: '/applications/:id/renew-secret',
    summary: 'Renew the secret of an OAuth application',
    access: onServer('admin_applications'),
    params: one,
    success: { status: 201, schema: ApplicationWithSecret },
    errors: [404],
    handler: async ({ deps, params }) => {
      const secret = newSecret();
      const row = await deps.db.transaction().execute(async (db) => {
        const renewed = await db
          .updateTable('oauth_applications')
          .set({ secret_digest: tokenDigest(secret) })
          .where('id', '=', params.id)
          .returningAll()
          .executeTakeFirstOrThrow(() => notFound('Application'));
        await recordAudit(deps, db, entryOf(renewed, 'secret_updated', 'Renewed the secret of an OAuth application'));
        return renewed;
      });
      return { ...present(row), secret };
    },
  }),
];
