import { parseJson } from '../../../db/columns.ts';
import type { Package } from '../../../db/tables/packages.table.ts';
import { projectFeed } from './nuget.find.ts';
import { fileNameOf } from './nuget.names.ts';
import type { Nuspec } from './nuspec.ts';

type PackageMetadata = Partial<Omit<Nuspec, 'id' | 'version' | 'symbols'>>;
const metadataOf = ({ metadata }: Package): PackageMetadata => parseJson<PackageMetadata>(metadata as string);

function about({ authors, description, summary, tags, projectUrl, licenseUrl, iconUrl }: PackageMetadata) {
  return {
    authors: authors ?? '',
    description: description ?? '',
    summary: summary ?? '',
    tags: (tags ?? []).join(' '),
    ...(projectUrl ? { projectUrl } : {}),
    ...(licenseUrl ? { licenseUrl } : {}),
    ...(iconUrl ? { iconUrl } : {}),
  };
}

const leafId = (base: string, { name, version_key }: Package): string => `${base}/metadata/${name}/${version_key}.json`;

/**
 * Renders a version for registrations.
 * @param api URL of the API
 * @param base URL of the feed
 */
export function presentVersion(api: string, base: string, row: Package) {
  const metadata = metadataOf(row);
  const keys = { nameKey: row.name_key, versionKey: row.version_key };
  const id = leafId(base, row);
  const packageContent = `${api}${projectFeed(row.project_id).path}/download/${row.name}/${row.version_key}/${fileNameOf(keys, 'nupkg')}`;
  return {
    '@id': id,
    packageContent,
    catalogEntry: {
      '@id': id,
      id: row.name,
      version: row.version ?? row.version_key,
      ...about(metadata),
      packageContent,
      published: row.created_at,
      dependencyGroups: (metadata.dependencyGroups ?? []).map((group) => dependencyGroup(id, group)),
    },
  };
}

function dependencyGroup(
  leaf: string,
  { targetFramework, dependencies }: NonNullable<PackageMetadata['dependencyGroups']>[0],
) {
  const framework = targetFramework === undefined ? '' : `/${targetFramework.toLowerCase()}`;
  const id = `${leaf}#dependencyGroup${framework}`;
  return {
    '@id': id,
    '@type': 'PackageDependencyGroup' as const,
    ...(targetFramework === undefined ? {} : { targetFramework }),
    ...(dependencies.length === 0
      ? {}
      : {
          dependencies: dependencies.map((each) => ({
            '@id': `${id}/${each.id.toLowerCase()}`,
            '@type': 'PackageDependency' as const,
            ...each,
          })),
        }),
  };
}

/** Renders all versions of a package. @param rows lowest first, at least one */
export const presentRegistration = (api: string, base: string, rows: readonly Package[]) => ({
  count: 1,
  items: [
    {
      '@id': `${base}/metadata/${rows[0]!.name}/index.json`,
      lower: rows[0]!.version_key,
      upper: rows.at(-1)!.version_key,
      count: rows.length,
      items: rows.map((row) => presentVersion(api, base, row)),
    },
  ],
});

/** Renders a search result. @param versions highest first @param row row of the highest version */
export const presentSearchResult = (base: string, versions: readonly string[], row: Package) => {
  const metadata = metadataOf(row);
  return {
    '@type': 'Package' as const,
    id: row.name,
    title: metadata.title || row.name,
    version: versions[0]!,
    versions: versions.map((version) => ({
      '@id': `${base}/metadata/${row.name}/${version}.json`,
      version,
      downloads: 0,
    })),
    totalDownloads: 0,
    verified: true,
    ...about(metadata),
  };
};

const SEARCH = ['', '/3.0.0-beta', '/3.0.0-rc'];

/**
 * Renders the services of a source. @param ofProject whether packages can be downloaded and pushed there, unlike for
 * groups
 */
export function presentServices(base: string, ofProject: boolean) {
  const resources = [
    ...SEARCH.map((version) => ({
      '@id': `${base}/query`,
      '@type': `SearchQueryService${version}`,
      comment: 'Filter and search for packages by keyword.',
    })),
    ...SEARCH.map((version) => ({
      '@id': `${base}/metadata`,
      '@type': `RegistrationsBaseUrl${version}`,
      comment: 'Get package metadata.',
    })),
  ];
  if (ofProject) {
    resources.push(
      { '@id': `${base}/download`, '@type': 'PackageBaseAddress/3.0.0', comment: 'Get package content (.nupkg).' },
      { '@id': base, '@type': 'PackagePublish/2.0.0', comment: 'Push and delete packages.' },
      { '@id': `${base}/symbolpackage`, '@type': 'SymbolPackagePublish/4.9.0', comment: 'Push symbol packages.' },
    );
  }
  return { version: '3.0.0', resources };
}
