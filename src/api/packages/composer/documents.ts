import { hash } from 'node:crypto';
import { notFound } from '../../../core/errors.ts';
import { parseJson } from '../../../db/columns.ts';
import type { Namespace } from '../../../db/tables/namespaces.ts';
import type { BaseContext } from '../../../http/route.ts';
import type { Serialized } from '../../../http/send.ts';
import { editionOf } from '../../../packages/edition.ts';
import { readablePackages } from '../../../packages/readable.ts';
import { keptDocument } from '../documents.ts';
import { allVersions, MAX_VERSIONS, versionsOfName } from './find.ts';
import type { ComposerFacts } from './register.ts';

/** What a version takes of memory while a document is made, most of them. */
const VERSION_BYTES = 16 * 1024;
const MAX_BYTES = 128 * 1024 * 1024;

type Query = ReturnType<typeof allVersions>;

interface Version {
  id: number;
  project_id: number;
  name: string;
  version: string | null;
  metadata: string;
  full_path: string;
  visibility: string;
}

const sha256 = (text: string): string => hash('sha256', text, 'hex');
const addressOf = ({ deps }: BaseContext, { id }: Namespace, face: string) =>
  `${new URL(deps.externalUrl()).pathname.replace(/\/$/, '')}/api/v4/${face}/${id}/-/packages/composer`;

function presentVersion(base: string, row: Version): Record<string, unknown> {
  const { sha, composer_json } = parseJson<ComposerFacts>(row.metadata);
  const archive = `${base}/api/v4/projects/${row.project_id}/packages/composer/archives/${row.name}.zip?sha=${sha}`;
  const git =
    row.visibility === 'public' ? `${base}/${row.full_path}.git` : `git@${new URL(base).hostname}:${row.full_path}.git`;
  return {
    ...composer_json,
    dist: { type: 'zip', url: archive, reference: sha, shasum: '' },
    source: { type: 'git', url: git, reference: sha },
    uid: row.id,
    version: row.version,
  };
}

/** What Composer reads of one name. */
function nameDocument(base: string, rows: readonly Version[]): string {
  const versions = Object.fromEntries(rows.map((row) => [row.version ?? '', presentVersion(base, row)]));
  return JSON.stringify({ packages: { [rows[0]!.name]: versions } });
}

const rowsOf = async (query: Query): Promise<Version[]> => {
  const rows = await query
    .innerJoin('projects', 'projects.id', 'packages.project_id')
    .select([
      'packages.id',
      'packages.project_id',
      'packages.name',
      'packages.version',
      'packages.metadata',
      'projects.full_path',
      'projects.visibility',
    ])
    .orderBy('packages.id', 'desc')
    .limit(MAX_VERSIONS)
    .execute();
  return rows.reverse();
};

/** A document made of what a query finds, kept as long as that, and the projects it is in, are the same. */
async function made(
  c: BaseContext,
  kind: string,
  query: Query,
  make: (rows: Version[]) => string,
): Promise<Serialized> {
  const { text, rows, projectIds } = await editionOf(query);
  const { db } = c.deps;
  const projects =
    projectIds.length === 0
      ? []
      : await db
          .selectFrom('projects')
          .select(['id', 'full_path', 'visibility'])
          .where('id', 'in', projectIds)
          .execute();
  const places = projects.map(({ id, full_path, visibility }) => `${id} ${full_path} ${visibility}`).sort();
  const key = `composer ${kind} ${c.deps.externalUrl()} ${text} ${sha256(JSON.stringify(places))}`;
  return keptDocument(c, key, Math.min(rows * VERSION_BYTES, MAX_BYTES), async () => make(await rowsOf(query)));
}

/** The document of a name. @throws ApiError 404 */
export async function documentOfName(c: BaseContext, group: Namespace, name: string): Promise<Serialized> {
  const query = versionsOfName(c.deps.db, await readablePackages(c.deps, c.caller, { group }), name);
  const base = c.deps.externalUrl();
  return made(c, `name ${name.toLowerCase()}`, query, (rows) => {
    if (rows.length === 0) throw notFound('Package');
    return nameDocument(base, rows);
  });
}

/** Digests of the documents of all names, for clients of the first protocol. */
export async function providers(c: BaseContext, group: Namespace): Promise<Serialized> {
  const query = allVersions(c.deps.db, await readablePackages(c.deps, c.caller, { group }));
  const base = c.deps.externalUrl();
  return made(c, 'providers', query, (rows) => {
    const names = Map.groupBy(rows, ({ name }) => name.toLowerCase());
    const digests = [...names.values()].map((versions) => [
      versions[0]!.name,
      { sha256: sha256(nameDocument(base, versions)) },
    ]);
    return JSON.stringify({ providers: Object.fromEntries(digests) });
  });
}

/** Where a client finds the packages of a group. @param face word for groups in the address that it asked at */
export async function rootDocument(c: BaseContext, group: Namespace, face: string): Promise<object> {
  const address = addressOf(c, group, face);
  const root = { packages: [], 'metadata-url': `${address}/p2/%package%.json` };
  if (/\bComposer\/2/.test(c.request.headers['user-agent'] ?? '')) return root;
  const digest = sha256((await providers(c, group)).body.toString());
  return {
    ...root,
    'provider-includes': { 'p/%hash%.json': { sha256: digest } },
    'providers-url': `${address}/%package%$%hash%.json`,
  };
}

/** The document, if it has the digest that the client asks for. @throws ApiError 404 */
export function ofDigest(document: Serialized, digest: string): Serialized {
  if (sha256(document.body.toString()) !== digest) throw notFound('Package');
  return document;
}
