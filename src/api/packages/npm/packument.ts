import { sql } from 'kysely';
import { notFound } from '../../../core/core.errors.ts';
import { pluck } from '../../../core/pluck.ts';
import { parseJson } from '../../../db/columns.ts';
import type { Db } from '../../../db/db.schema.ts';
import type { BaseContext } from '../../../http/http.route.ts';
import type { Serialized } from '../../../http/http.send.ts';
import { VERSION_STATE_COLUMNS } from '../../../packages/edition.ts';
import { INSTALLABLE, installable, type PackageSource } from '../../../packages/package-registry.find.ts';
import { compareSemVer, parseSemVer } from '../../../packages/semver.ts';
import type { TarballMetadata } from './npm.publish.ts';
import { MAX_TAGS } from './npm.tags.ts';

const BATCH_SIZE = 500;
/** Maximum number of projects with the package considered; the most recent publishers first. */
const MAX_PROJECTS = 1_000;
/** Memory of a version while the document is built, in bytes. */
const VERSION_BYTES = 8_192;

/** State of a package in one project: it changes with every change of the package. */
interface State {
  project_id: number;
  versions: number;
  newest: number;
  changed_at: string;
  times: number;
}

interface Tag {
  name: string;
  version: string;
}

/** States of a package in all its projects, and its tags. */
interface Edition {
  states: State[];
  tags: Tag[];
}

/** Returns the document of a package, cached until the package changes. @throws ApiError 404 if there is no version */
export async function packumentOf(c: BaseContext, source: PackageSource, name: string): Promise<Serialized> {
  const { deps } = c;
  const read = () => editionOf(deps.db, source, name);
  const edition =
    'projectId' in source ? await deps.snapshot.get(`npm:${source.projectId}:${name}`, read) : await read();
  if (edition.states.length === 0) throw notFound('Packages');
  const key = `npm ${deps.externalUrl()} ${name} ${JSON.stringify(edition)}`;
  return deps.immutableResponses.get(key, async () => {
    await c.hold(edition.states.reduce((sum, { versions }) => sum + versions, 0) * VERSION_BYTES);
    return makeDocument(deps.db, name, edition, `${deps.externalUrl()}/api/v4`);
  });
}

/** Returns the tags of a package by name. @throws ApiError 404 if there is no version */
export async function distTagsOf(
  { deps: { db } }: BaseContext,
  source: PackageSource,
  name: string,
): Promise<Record<string, string>> {
  const { states, tags } = await editionOf(db, source, name);
  if (states.length === 0) throw notFound('Package');
  const set = withLatest(tags, []);
  if (set.latest !== undefined) return set;
  const rows = await versionsIn(db, states.map(projectOf), name).select('packages.version_key').execute();
  const versions = rows.map(({ version_key }) => version_key);
  return withLatest(tags, versions);
}

const projectOf = ({ project_id }: State): number => project_id;

/** Query for versions in projects whose packages the caller may read. */
const versionsIn = (db: Db, projectIds: readonly number[], name: string) =>
  installable(db, { readable: (eb) => eb('packages.project_id', 'in', projectIds) }, { type: 'npm', nameKey: name });

async function editionOf(db: Db, source: PackageSource, name: string): Promise<Edition> {
  const everywhere: PackageSource = { readable: (eb) => eb.lit(true) };
  const rows = await installable(db, 'projectId' in source ? source : everywhere, { type: 'npm', nameKey: name })
    .select(VERSION_STATE_COLUMNS)
    .groupBy('packages.project_id')
    .orderBy('packages.project_id')
    .execute();
  const all = rows.map(({ rows: versions, times, ...row }) => ({
    ...row,
    versions: Number(versions),
    times: Number(times),
  }));
  const states = 'projectId' in source ? all : await readableOf(db, source, name, all);
  return { states, tags: states.length === 0 ? [] : await tagsOf(db, states.map(projectOf), name) };
}

/**
 * Returns the states that the caller may read. Rights depend on the project only, so one version of each is checked.
 */
async function readableOf(db: Db, source: PackageSource, name: string, states: State[]): Promise<State[]> {
  const candidates = states.toSorted((a, b) => b.newest - a.newest).slice(0, MAX_PROJECTS);
  if (candidates.length === 0) return [];
  const ids = candidates.map(({ newest }) => newest);
  const rows = await installable(db, source, { type: 'npm', nameKey: name })
    .where('packages.id', 'in', ids)
    .select('packages.project_id')
    .execute();
  const readable = new Set(rows.map(({ project_id }) => project_id));
  return states.filter(({ project_id }) => readable.has(project_id));
}

/** Loads tags of installable versions; if projects share a tag, the newest version comes last. */
async function tagsOf(db: Db, projectIds: readonly number[], name: string): Promise<Tag[]> {
  const tags = await db
    .selectFrom('package_tags')
    .innerJoin('packages', 'packages.id', 'package_tags.package_id')
    .select(['package_tags.name', 'packages.version_key as version'])
    .where('package_tags.project_id', 'in', projectIds)
    .where('package_tags.name_key', '=', name)
    // Literal as in the index: with a parameter SQLite would not use it.
    .where(sql<boolean>`package_tags.package_type = 'npm'`)
    .where('packages.status', 'in', INSTALLABLE)
    .orderBy('packages.id', 'desc')
    .orderBy('package_tags.name', 'desc')
    .limit(MAX_TAGS)
    .execute();
  return tags.reverse();
}

/** Converts tags to an object; `latest` defaults to the highest version. */
function withLatest(tags: readonly Tag[], versions: readonly string[]): Record<string, string> {
  const byName = new Map(tags.map(({ name, version }) => [name, version]));
  if (!byName.has('latest') && versions.length > 0) byName.set('latest', highest(versions));
  return Object.fromEntries(byName);
}

/** Returns the highest release; the highest pre-release if there are only pre-releases. */
function highest(versions: readonly string[]): string {
  const all = versions
    .flatMap((version) => {
      const parsed = parseSemVer(version);
      return parsed === null ? [] : [{ version, parsed }];
    })
    .sort((a, b) => compareSemVer(a.parsed, b.parsed));
  const release = all.findLast(({ parsed }) => parsed.prerelease.length === 0);
  return (release ?? all.at(-1))?.version ?? versions.at(-1)!;
}

/** Columns that decide the place of a version in the document. */
interface Row {
  project_id: number;
  version_key: string;
  metadata: string;
  status: string;
  status_message: string | null;
  created_at: string;
  file_name: string;
  sha1: string | null;
  facts: string;
}

async function makeDocument(db: Db, name: string, { states, tags }: Edition, api: string): Promise<object> {
  const from = versionsIn(db, states.map(projectOf), name);
  const ids = await from.select('packages.id').orderBy('packages.id').execute();
  // If several projects have the same version, the latest publication is used.
  const versions = new Map<string, object>();
  const time = new Map<string, string>();
  for (let at = 0; at < ids.length; at += BATCH_SIZE) {
    for (const row of await rowsOf(db, ids.slice(at, at + BATCH_SIZE))) {
      versions.set(row.version_key, presentVersion(row, name, api));
      time.set(row.version_key, row.created_at);
    }
  }
  // The files of all versions may have been deleted.
  if (versions.size === 0) throw notFound('Packages');
  const modified = states
    .map(({ changed_at }) => changed_at)
    .sort()
    .at(-1)!;
  const shown = tags.filter(({ version }) => versions.has(version));
  return {
    name,
    'dist-tags': withLatest(shown, [...versions.keys()]),
    versions: Object.fromEntries(versions),
    modified,
    time: { modified, ...Object.fromEntries(time) },
  };
}

const rowsOf = (db: Db, ids: readonly { id: number }[]): Promise<Row[]> =>
  db
    .selectFrom('packages')
    .innerJoin('package_files', 'package_files.package_id', 'packages.id')
    .select([
      'packages.project_id',
      'packages.version_key',
      'packages.metadata',
      'packages.status',
      'packages.status_message',
      'packages.created_at',
      'package_files.file_name',
      'package_files.sha1',
      'package_files.metadata as facts',
    ])
    .where('packages.id', 'in', pluck(ids, 'id'))
    .where('package_files.status', '=', 'default')
    .orderBy('packages.id')
    .execute();

function presentVersion(row: Row, name: string, api: string): object {
  const { integrity } = parseJson<Partial<TarballMetadata>>(row.facts);
  return {
    name,
    version: row.version_key,
    ...parseJson<object>(row.metadata),
    ...(row.status === 'deprecated' ? { deprecated: row.status_message ?? '' } : {}),
    dist: {
      tarball: `${api}/projects/${row.project_id}/packages/npm/${name}/-/${row.file_name}`,
      shasum: row.sha1,
      ...(integrity === undefined ? {} : { integrity }),
    },
  };
}
