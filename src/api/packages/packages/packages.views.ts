import type { Static } from 'typebox';
import { pluck } from '../../../core/pluck.ts';
import type { Package as Row } from '../../../db/tables/packages.table.ts';
import type { Project } from '../../../db/tables/projects.table.ts';
import type { Deps } from '../../../deps.ts';
import { lastDownload } from '../../../packages/downloads.ts';
import { packageKinds } from '../package-kinds.ts';
import { DETAILED } from './packages.find.ts';
import { DEFAULT_STATUSES, LIST_COLUMNS, type ListedPackage } from './packages.list.ts';
import type { GroupPackage, OtherVersion, Package, PackageListEntry } from './packages.responses.ts';
import { lastPipelines, pipelinesOf, presentPipelines, tagsOf } from './packages.view-rows.ts';

/** Project of a package, with the permissions that affect its rendering. */
export interface PackageProject {
  project: Pick<Project, 'id' | 'full_path'>;
  mayDelete: boolean;
  seesPipelines: boolean;
}

const VERSIONS = 1_000;
const PIPELINES = 20;

const webUrls = (deps: Pick<Deps, 'externalUrl'>, places: Iterable<PackageProject>) =>
  new Map([...places].map(({ project }) => [project.id, `${deps.externalUrl()}/${project.full_path}`]));

function linksOf(
  deps: Deps,
  row: ListedPackage,
  { project, mayDelete }: PackageProject,
): Static<typeof PackageListEntry>['_links'] {
  return {
    ...(DETAILED.includes(row.status) ? { web_path: `/${project.full_path}/-/packages/${row.id}` } : {}),
    ...(mayDelete ? { delete_api_path: `${deps.externalUrl()}/api/v4/projects/${project.id}/packages/${row.id}` } : {}),
  };
}

/** Renders packages of projects for lists with a fixed number of queries. @param places all projects of the rows */
export async function presentPackages(
  deps: Deps,
  rows: readonly ListedPackage[],
  places: ReadonlyMap<number, PackageProject>,
): Promise<Static<typeof PackageListEntry>[]> {
  const ids = rows.map(({ id }) => id);
  const tags = await tagsOf(deps.db, ids);
  const withPipelines = rows.filter(({ project_id }) => places.get(project_id)!.seesPipelines);
  const pipelines = await lastPipelines(deps, pluck(withPipelines, 'id'), webUrls(deps, places.values()));
  return rows.map((row) => {
    const pipeline = pipelines.get(row.id);
    return {
      id: row.id,
      name: row.name,
      ...packageKinds.get(row.package_type)?.attributes?.of(row.name),
      version: row.version,
      package_type: row.package_type,
      status: row.status,
      _links: linksOf(deps, row, places.get(row.project_id)!),
      created_at: row.created_at,
      tags: tags.get(row.id) ?? [],
      ...(pipeline === undefined ? { pipelines: [] } : { pipeline, pipelines: [pipeline] }),
    };
  });
}

/** Renders packages for lists, with their projects. */
export async function presentGroupPackages(
  deps: Deps,
  rows: readonly ListedPackage[],
  places: ReadonlyMap<number, PackageProject>,
): Promise<Static<typeof GroupPackage>[]> {
  const shown = await presentPackages(deps, rows, places);
  return shown.map((entry, at) => {
    const { id, full_path } = places.get(rows[at]!.project_id)!.project;
    return { ...entry, project_id: id, project_path: full_path };
  });
}

/** Renders a package with all details. */
export async function presentPackage(
  deps: Deps,
  row: Row,
  packageProject: PackageProject,
): Promise<Static<typeof Package>> {
  const { db } = deps;
  const places = new Map([[packageProject.project.id, packageProject]]);
  const [entry] = await presentPackages(deps, [row], places);
  const newest = packageProject.seesPipelines ? await pipelinesOf(db, row).limit(PIPELINES).execute() : [];
  return {
    ...entry!,
    pipelines: await presentPipelines(deps, newest, webUrls(deps, [packageProject])),
    last_downloaded_at: lastDownload(deps, row),
    versions: await otherVersions(deps, row, places),
  };
}

async function otherVersions(
  deps: Deps,
  row: Row,
  places: ReadonlyMap<number, PackageProject>,
): Promise<Static<typeof OtherVersion>[]> {
  const rows = await deps.db
    .selectFrom('packages')
    .select(LIST_COLUMNS)
    .where('project_id', '=', row.project_id)
    .where('package_type', '=', row.package_type)
    .where('name_key', '=', row.name_key)
    .where('status', 'in', DEFAULT_STATUSES)
    .where('version', 'is not', null)
    .where('id', '!=', row.id)
    .orderBy('id', 'desc')
    .limit(VERSIONS)
    .execute();
  const shown = await presentPackages(deps, rows.reverse(), places);
  return shown.map(({ id, version, created_at, tags, pipeline, pipelines }) => ({
    id,
    version,
    created_at,
    tags,
    ...(pipeline === undefined ? {} : { pipeline }),
    pipelines,
  }));
}
