import type { FastifyReply } from 'fastify';
import { Type } from 'typebox';
import { type Route, route } from '../../../http/http.route.ts';
import { anyone } from '../../api.access.ts';
import { readsRegistry } from '../registries.access.ts';
import { READ_PACKAGES } from '../registries.credentials.ts';
import { NUGET } from './nuget.credentials.ts';
import { projectFeed } from './nuget.find.ts';
import { presentV2Service, V2_METADATA } from './nuget.v2-views.ts';
import { searchFeed, versionEntry, versionFeed } from './v2-handlers.ts';
import { entryQueryOf, searchQueryOf, versionQueryOf } from './v2-query.ts';

const XML = 'application/xml';
const ATOM = 'application/atom+xml';
const reading = { tag: 'NuGet packages', credentials: NUGET, method: 'GET', scopes: READ_PACKAGES } as const;
const send = (reply: FastifyReply, type: string, text: string) => reply.type(`${type}; charset=utf-8`).send(text);
const V2 = '/projects/:id/packages/nuget/v2';

const Page = {
  $filter: Type.Optional(
    Type.String({
      maxLength: 2_000,
      description:
        'Filter by `Id`, `Version` or `NormalizedVersion`, `IsLatestVersion`, `IsAbsoluteLatestVersion`. Other conditions are ignored.',
      examples: ["tolower(Id) eq 'flight.plans' and IsLatestVersion"],
    }),
  ),
  $skip: Type.Optional(
    Type.Integer({ minimum: 0, maximum: 1_000_000, default: 0, description: 'Number of entries to skip.' }),
  ),
  $top: Type.Optional(
    Type.Integer({
      minimum: 0,
      maximum: 1_000_000,
      default: 10_000,
      description: 'Number of entries to return; at most 100.',
    }),
  ),
};
const pageOf = ({ $skip = 0, $top = 10_000 }: { $skip?: number; $top?: number }) => ({ skip: $skip, top: $top });
const listing = {
  ...reading,
  access: readsRegistry,
  success: { status: 200, contentType: ATOM },
  errors: [429],
} as const;

/**
 * Contains only URLs and is public, as in version 3: nuget before version 3 requests it before pushing with an API key.
 */
const services = (noun: 'project' | 'group') => {
  const path = noun === 'group' ? '/groups/:id/-/packages/nuget/v2' : V2;
  const shared = {
    ...reading,
    access: anyone,
    params: Type.Object({ id: Type.Integer({ minimum: 1, description: `Id of the ${noun}.` }) }),
    success: { status: 200, contentType: XML },
  } as const;
  const name = noun === 'group' ? 'Group' : 'Project';
  return [
    route({
      ...shared,
      path,
      operationId: `get${name}NugetV2Service`,
      summary: `List the services of the NuGet source of a ${noun} (version 2)`,
      description: 'Public and independent of the existence of the source: it contains URLs only.',
      handler: ({ deps, params, reply }) => {
        const base = `${deps.externalUrl()}/api/v4${path.replace(':id', String(params.id))}`;
        return send(reply, XML, presentV2Service(base));
      },
    }),
    route({
      ...shared,
      path: `${path}/$metadata`,
      operationId: `get${name}NugetV2Metadata`,
      summary: `Get the metadata document of the NuGet source of a ${noun} (version 2)`,
      handler: ({ reply }) => send(reply, XML, V2_METADATA),
    }),
  ];
};

/** NuGet feed version 2, for nuget before version 3, Chocolatey and PowerShell. */
export const v2Routes: readonly Route[] = [
  ...services('project'),
  ...services('group'),
  route({
    ...listing,
    path: `${V2}/FindPackagesById()`,
    operationId: 'findNugetV2PackagesById',
    summary: 'List the versions of a NuGet package of a project (version 2)',
    input: Type.Object({
      id: Type.String({
        maxLength: 255,
        description: 'Name of the package in quotation marks.',
        examples: ["'Flight.Plans'"],
      }),
      ...Page,
    }),
    handler: async (c) => {
      const query = versionQueryOf(c.input.$filter ?? '', c.input.id);
      return send(c.reply, ATOM, await versionFeed(c, projectFeed(c.project.id), query, pageOf(c.input)));
    },
  }),
  route({
    ...listing,
    path: `${V2}/Packages()`,
    operationId: 'listNugetV2Packages',
    summary: 'List the versions of a NuGet package of a project by filter (version 2)',
    input: Type.Object(Page),
    handler: async (c) => {
      const query = versionQueryOf(c.input.$filter ?? '');
      return send(c.reply, ATOM, await versionFeed(c, projectFeed(c.project.id), query, pageOf(c.input)));
    },
  }),
  route({
    ...listing,
    path: `${V2}/Search()`,
    operationId: 'searchNugetV2Packages',
    summary: 'Search the NuGet packages of a project (version 2)',
    input: Type.Object({
      searchTerm: Type.Optional(
        Type.String({
          maxLength: 255,
          description:
            'Text that the package name must contain, in quotation marks; all packages when absent or empty.',
          examples: ["'flight'"],
        }),
      ),
      includePrerelease: Type.Optional(
        Type.Boolean({ default: false, description: 'Whether to include pre-release versions.' }),
      ),
      ...Page,
      $filter: Type.Optional(
        Type.String({
          maxLength: 2_000,
          description:
            '`IsLatestVersion` or `IsAbsoluteLatestVersion` for the highest version of each package only. Other conditions are ignored.',
          examples: ['IsLatestVersion'],
        }),
      ),
    }),
    handler: async (c) => {
      const { $filter = '', searchTerm, includePrerelease } = c.input;
      const query = searchQueryOf($filter, searchTerm, includePrerelease);
      return send(c.reply, ATOM, await searchFeed(c, projectFeed(c.project.id), query, pageOf(c.input)));
    },
  }),
  route({
    ...listing,
    path: `${V2}/:package_entry`,
    operationId: 'getNugetV2Package',
    summary: 'Get a version of a NuGet package of a project (version 2)',
    params: Type.Object({
      package_entry: Type.String({
        description: "Name and version in the form `Packages(Id='name',Version='version')`.",
        examples: ["Packages(Id='Flight.Plans',Version='1.3.0')"],
      }),
    }),
    handler: async (c) => {
      const query = entryQueryOf(c.params.package_entry);
      return send(c.reply, ATOM, await versionEntry(c, projectFeed(c.project.id), query));
    },
  }),
];
