import type { Readable } from 'node:stream';
import { Type } from 'typebox';
import { notFound } from '../../../core/core.errors.ts';
import type { BaseContext, Route } from '../../../http/http.route.ts';
import { route } from '../../../http/http.route.ts';
import { repositoryOf } from '../../../repositories/change-refs.ts';
import type { ProjectScope } from '../../api.access.ts';
import { CHALLENGED, READ_PACKAGES } from '../registries.credentials.ts';
import { readsModules } from './go.access.ts';
import { memoryOf, moduleArchive } from './go.archive.ts';
import { filesOfModule } from './go.files.ts';
import { locateModule, type ModuleRequest, readModulePath } from './go.paths.ts';
import { findModule, type ResolvedModule, versionsOfModule } from './module.ts';

const TYPES = {
  info: 'application/json',
  list: 'text/plain; charset=utf-8',
  mod: 'text/plain; charset=utf-8',
  zip: 'application/zip',
} as const;

/** Responds to a request of the Go module proxy protocol (`go help goproxy`). */
async function sendModule(c: BaseContext & ProjectScope, request: ModuleRequest): Promise<string | Readable> {
  const { deps, project, reply } = c;
  const location = locateModule(deps.externalUrl(), project.full_path, request.module);
  if (location === undefined) throw notFound();
  const repo = repositoryOf(deps, project);
  reply.type(TYPES[request.file]);
  if (request.version === null) {
    const versions = await versionsOfModule(repo, location);
    return versions.map((version) => `${version}\n`).join('');
  }
  const moduleVersion = await findModule(repo, location, request.version);
  if (moduleVersion === undefined) throw notFound();
  if (request.file === 'info') return info(moduleVersion, request.version);
  if (request.file === 'mod') return moduleVersion.goMod;
  const files = await filesOfModule(repo, moduleVersion);
  return c.stream(memoryOf(files), () => {
    const { commit } = moduleVersion;
    const prefix = `${request.module}@${request.version}`;
    return moduleArchive(repo, files, { prefix, date: commit.committer.date, signal: c.signal });
  });
}

const info = ({ commit }: ResolvedModule, version: string): string =>
  JSON.stringify({ Version: version, Time: commit.committer.date.toISOString().replace('.000Z', 'Z') });

/** A project as a Go module proxy (part 1, section 4.7): its modules are the tags of its repository. */
export const goRoutes: readonly Route[] = [
  route({
    method: 'GET',
    path: '/projects/:id/packages/go/*module_path',
    operationId: 'getGoModule',
    tag: 'Go modules',
    summary: 'Get a file of the Go module proxy of a project',
    description:
      'For `GOPROXY`. The module name, as in `go.mod`, consists of the host of the server, the path of the project and the folder in it. Versions are tags; for modules in a folder, tags with its path as prefix, if there are any. Pseudo-versions name a commit by time and id.',
    access: readsModules,
    credentials: CHALLENGED,
    scopes: READ_PACKAGES,
    params: Type.Object({
      module_path: Type.String({
        description:
          'Module name, `@v`, and `list` for the versions, or a version followed by `.info`, `.mod` or `.zip`. Capital letters are escaped as `!x`.',
        examples: ['gitlab.example.com/group/project/@v/v1.0.0.info'],
      }),
    }),
    success: {
      status: 200,
      contentType: ['text/plain; charset=utf-8', 'application/json', 'application/zip'],
      description: 'The versions, one per line; information about a version; its `go.mod`; or its archive.',
    },
    errors: [404, 422, 429],
    handler: (c) => {
      const moduleRequest = readModulePath(c.params.module_path);
      if (moduleRequest === undefined) throw notFound();
      return sendModule(c, moduleRequest);
    },
  }),
];
