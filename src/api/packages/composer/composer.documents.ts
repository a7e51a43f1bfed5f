import { createHash, type Hash, hash } from 'node:crypto';
import { sql } from 'kysely';
import { notFound } from '../../../core/core.errors.ts';
import { pluck } from '../../../core/pluck.ts';
import { parseJson } from '../../../db/columns.ts';
import type { Db } from '../../../db/db.schema.ts';
import { rowsById } from '../../../db/rows-by-id.ts';
import type { Namespace } from '../../../db/tables/namespaces.table.ts';
import type { Deps } from '../../../deps.ts';
import type { BaseContext } from '../../../http/http.route.ts';
import type { Serialized } from '../../../http/http.send.ts';
import { collectionVersionOf } from '../../../packages/edition.ts';
import { readablePackages } from '../../../packages/package-registry.readable.ts';
import { cachedDocument } from '../registries.documents.ts';
import { allVersions, MAX_VERSIONS, versionsOfName } from './composer.find.ts';
import type { ComposerFacts } from './composer.register.ts';

/** Maximum total size of the metadata in a document in characters; older versions beyond it are left out. */
const MAX_DOCUMENT = 32 * 1024 * 1024;
/** Maximum size of the metadata read per query in characters, and maximum number of versions. */
const PAGE = 4 * 1024 * 1024;
const PAGE_ROWS = 500;
/** Memory of a page, and of a document, as a multiple of its length. */
const PAGE_FACTOR = 6;
const DOCUMENT_FACTOR = 3;
/** Memory of a version without its metadata. */
const KNOWN_BYTES = 256;

type Query = ReturnType<typeof allVersions>;

/** A version without its metadata. */
interface Known {
  id: number;
  name: string;
  size: number;
}

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

function presentVersion(deps: Deps, row: Version): Record<string, unknown> {
  const base = deps.externalUrl();
  const { sha, composer_json } = parseJson<ComposerFacts>(row.metadata);
  const archive = `${base}/api/v4/projects/${row.project_id}/packages/composer/archives/${row.name}.zip?sha=${sha}`;
  const git = row.visibility === 'public' ? `${base}/${row.full_path}.git` : deps.sshUrl(`${row.full_path}.git`);
  return {
    ...composer_json,
    dist: { type: 'zip', url: archive, reference: sha, shasum: '' },
    source: { type: 'git', url: git, reference: sha },
    uid: row.id,
    version: row.version,
  };
}

/** Returns the newest versions of a query, oldest first. */
async function knownVersions(query: Query): Promise<Known[]> {
  const rows = await query
    .select(['packages.id', 'packages.name', sql<number>`length(packages.metadata)`.as('size')])
    .orderBy('packages.id', 'desc')
    .limit(MAX_VERSIONS)
    .execute();
  return rows.reverse().map(({ size, ...row }) => ({ ...row, size: Number(size) }));
}

/** Returns the versions of a name that fit into its document, preferring the newest. */
function shownOf(versions: readonly Known[]): readonly Known[] {
  let room = MAX_DOCUMENT;
  const left = versions.findLastIndex(({ size }) => {
    room -= size;
    return room < 0;
  });
  return versions.slice(left + 1);
}

/** Splits versions into pages to read at once. */
function* pagesOf(versions: readonly Known[]): Generator<Known[]> {
  let page: Known[] = [];
  let size = 0;
  for (const version of versions) {
    if (page.length === PAGE_ROWS || (page.length > 0 && size + version.size > PAGE)) {
      yield page;
      page = [];
      size = 0;
    }
    page.push(version);
    size += version.size;
  }
  if (page.length > 0) yield page;
}

async function rowsOf(db: Db, page: readonly Known[]): Promise<Map<number, Version>> {
  const rows = await db
    .selectFrom('packages')
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
    .where('packages.id', 'in', pluck(page, 'id'))
    .execute();
  return new Map(rows.map((row) => [row.id, row]));
}

const keyOf = ({ name }: { name: string }): string => name.toLowerCase();

/** Renders the document of each name in parts. @param versions versions, grouped by name */
async function* nameDocuments(
  { deps }: BaseContext,
  versions: readonly Known[],
): AsyncGenerator<{ name: string; text: string }> {
  let name: string | undefined;
  for (const page of pagesOf(versions)) {
    const rows = await rowsOf(deps.db, page);
    for (const { id } of page) {
      const row = rows.get(id);
      if (row === undefined) continue;
      const isFirst = name === undefined || keyOf({ name }) !== keyOf(row);
      if (isFirst && name !== undefined) yield { name, text: '}}}' };
      if (isFirst) name = row.name;
      const before = isFirst ? `{"packages":{${JSON.stringify(name)}:{` : ',';
      const text = `${before}${JSON.stringify(row.version ?? '')}:${JSON.stringify(presentVersion(deps, row))}`;
      yield { name: name!, text };
    }
  }
  if (name !== undefined) yield { name, text: '}}}' };
}

/** Builds a document from a query, cached while the rows and the readable projects are unchanged. */
async function made(
  c: BaseContext,
  kind: string,
  query: Query,
  make: (versions: Known[]) => Promise<string>,
): Promise<Serialized> {
  const { text, rows, projectIds } = await collectionVersionOf(query);
  const { db } = c.deps;
  const projects = await rowsById(db, 'projects', projectIds, ['full_path', 'visibility']);
  const places = Array.from(projects, ([id, { full_path, visibility }]) => `${id} ${full_path} ${visibility}`).sort();
  const key = `composer ${kind} ${c.deps.externalUrl()} ${text} ${sha256(JSON.stringify(places))}`;
  return cachedDocument(c, key, Math.min(rows, MAX_VERSIONS) * KNOWN_BYTES, async () =>
    make(await knownVersions(query)),
  );
}

/** Returns the document of a name. @throws ApiError 404 */
export async function documentOfName(c: BaseContext, group: Namespace, name: string): Promise<Serialized> {
  const query = versionsOfName(c.deps.db, await readablePackages(c.deps, c.caller, { group }), name);
  return made(c, `name ${name.toLowerCase()}`, query, async (versions) => {
    if (versions.length === 0) throw notFound('Package');
    const shown = shownOf(versions);
    const characters = shown.reduce((sum, { size }) => sum + size, 0);
    await c.hold(DOCUMENT_FACTOR * characters + PAGE_FACTOR * Math.min(characters, PAGE));
    return (await Array.fromAsync(nameDocuments(c, shown), ({ text }) => text)).join('');
  });
}

/** Returns the checksums of the documents of all names, for Composer 1. */
export async function providers(c: BaseContext, group: Namespace): Promise<Serialized> {
  const query = allVersions(c.deps.db, await readablePackages(c.deps, c.caller, { group }));
  return made(c, 'providers', query, async (versions) => {
    await c.hold(PAGE_FACTOR * PAGE);
    const names = [...Map.groupBy(versions, keyOf).values()];
    const digests = new Map<string, Hash>();
    for await (const { name, text } of nameDocuments(c, names.flatMap(shownOf))) {
      const digest = digests.get(name) ?? createHash('sha256');
      digests.set(name, digest.update(text));
    }
    const providers = [...digests].map(([name, digest]) => [name, { sha256: digest.digest('hex') }]);
    return JSON.stringify({ providers: Object.fromEntries(providers) });
  });
}

/** Returns the index of a group. @param face word for groups in the requested URL */
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

/** Returns the document if it has the requested checksum. @throws ApiError 404 */
export function matchesDigest(document: Serialized, digest: string): Serialized {
  if (sha256(document.body.toString()) !== digest) throw notFound('Package');
  return document;
}
