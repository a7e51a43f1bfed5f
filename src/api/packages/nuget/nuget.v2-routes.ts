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
        'Which are wanted: by `Id`, `Version` or `NormalizedVersion`, `IsLatestVersion`, `IsAbsoluteLatestVersion`. What else it says counts for nothing.',
      examples: ["tolower(Id) eq 'flight.plans' and IsLatestVersion"],
    }),
  ),
  $skip: Type.Optional(Type.Integer({ minimum: 0, maximum: 1_000_000, default: 0, description: 'Left out at first.' })),
  $top: Type.Optional(
    Type.Integer({ minimum: 0, maximum: 1_000_000, default: 10_000, description: 'Wanted; a page has 100 at most.' }),
  ),
};
const pageOf = ({ $skip = 0, $top = 10_000 }: { $skip?: number; $top?: number }) => ({ skip: $skip, top: $top });
const listing = {
  ...reading,
  access: readsRegistry,
  success: { status: 200, contentType: ATOM },
  errors: [429],
} as const;

/** Addresses alone, for everybody, as those of version 3 are: nuget before 3 asks for them before it pushes with an API key alone. */
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
      summary: `Services of the NuGet source of a ${noun}, version 2`,
      description: 'Addresses alone, for everybody, whether there is such a source or not.',
      handler: ({ deps, params, reply }) => {
        const base = `${deps.externalUrl()}/api/v4${path.replace(':id', String(params.id))}`;
        return send(reply, XML, presentV2Service(base));
      },
    }),
    route({
      ...shared,
      path: `${path}/$metadata`,
      operationId: `get${name}NugetV2Metadata`,
      summary: `What the NuGet source of a ${noun} tells of packages, version 2`,
      handler: ({ reply }) => send(reply, XML, V2_METADATA),
    }),
  ];
};

/** The feed of NuGet's version 2, as nuget before 3, Chocolatey and PowerShell read it. */
export const v2Routes: readonly Route[] = [
  ...services('project'),
  ...services('group'),
  route({
    ...listing,
    path: `${V2}/FindPackagesById()`,
    operationId: 'findNugetV2PackagesById',
    summary: 'Versions of a NuGet package of a project, version 2',
    input: Type.Object({
      id: Type.String({
        maxLength: 255,
        description: 'Name of the package in quotation marks.',
        examples: ["'Flight.Plans'"],
      }),
      ...Page,
    }),
    handler: async (c) => {
      const asked = versionQueryOf(c.input.$filter ?? '', c.input.id);
      return send(c.reply, ATOM, await versionFeed(c, projectFeed(c.project.id), asked, pageOf(c.input)));
    },
  }),
  route({
    ...listing,
    path: `${V2}/Packages()`,
    operationId: 'listNugetV2Packages',
    summary: 'Versions of a NuGet package of a project by a filter, version 2',
    input: Type.Object(Page),
    handler: async (c) => {
      const asked = versionQueryOf(c.input.$filter ?? '');
      return send(c.reply, ATOM, await versionFeed(c, projectFeed(c.project.id), asked, pageOf(c.input)));
    },
  }),
  route({
    ...listing,
    path: `${V2}/Search()`,
    operationId: 'searchNugetV2Packages',
    summary: 'Search the NuGet packages of a project, version 2',
    input: Type.Object({
      searchTerm: Type.Optional(
        Type.String({
          maxLength: 255,
          description: 'Part of the name in quotation marks; all packages when absent or empty.',
          examples: ["'flight'"],
        }),
      ),
      includePrerelease: Type.Optional(
        Type.Boolean({ default: false, description: 'Whether versions before a release are looked at.' }),
      ),
      ...Page,
      $filter: Type.Optional(
        Type.String({
          maxLength: 2_000,
          description:
            '`IsLatestVersion` or `IsAbsoluteLatestVersion` for the highest version of each package alone. What else it says counts for nothing.',
          examples: ['IsLatestVersion'],
        }),
      ),
    }),
    handler: async (c) => {
      const { $filter = '', searchTerm, includePrerelease } = c.input;
      const asked = searchQueryOf($filter, searchTerm, includePrerelease);
      return send(c.reply, ATOM, await searchFeed(c, projectFeed(c.project.id), asked, pageOf(c.input)));
    },
  }),
  route({
    ...listing,
    path: `${V2}/:package_entry`,
    operationId: 'getNugetV2Package',
    summary: 'A version of a NuGet package of a project, version 2',
    params: Type.Object({
      package_entry: Type.String({
        description: 'Name and version in this form.',
        examples: ["Packages(Id='Flight.Plans',Version='1.3.0')"],
      }),
    }),
    handler: async (c) => {
      const asked = entryQueryOf(c.params.package_entry);
      return send(c.reply, ATOM, await versionEntry(c, projectFeed(c.project.id), asked));
    },
  }),
];
