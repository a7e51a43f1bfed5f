import type { FastifyRequest } from 'fastify';
import { findProject, type ProjectWithNamespace } from '../access/lookup.ts';
import { projectPermissions } from '../access/permissions.ts';
import { escapeHtml } from '../core/html.ts';
import type { Deps } from '../deps.ts';
import { gitCaller } from '../git-server/http/git-http.credentials.ts';
import { repositoryOf } from '../repositories/change-refs.ts';

/** Maximum number of segments of an import path that are tried as a project's path. */
const MAX_PARTS = 25;

/**
 * Answers `go get`: where the repository of an import path is. In nested groups the import path does not tell where the
 * project path ends, so each prefix is looked up. Callers who may not see a project get an answer as if the first two
 * segments were the project, so that they cannot learn what exists.
 * @param path path of the URL, without a leading slash
 * @returns an HTML page, or null if the path cannot be a project's
 */
export async function goGetPage(deps: Deps, request: FastifyRequest, path: string): Promise<string | null> {
  const parts = path.split('/').filter((part) => part !== '');
  if (parts.length < 2 || parts.some((part) => part === '.' || part === '..')) return null;
  const readable = await findReadable(deps, request, parts.slice(0, MAX_PARTS));
  const project = readable?.project.full_path ?? parts.slice(0, 2).join('/');
  const branch = readable === null ? 'main' : ((await repositoryOf(deps, readable.project).refs.head()) ?? 'main');
  const url = `${deps.externalUrl()}/${project}`;
  // Go does not allow ports in module paths; the module proxy omits the port as well.
  const { hostname, pathname } = new URL(url);
  const prefix = `${hostname}${pathname}`;
  const source = `${prefix} ${url} ${url}/-/tree/${branch}{/dir} ${url}/-/blob/${branch}{/dir}/{file}#L{line}`;
  const metas = [
    `<meta name="go-import" content="${escapeHtml(`${prefix} git ${url}.git`)}">`,
    `<meta name="go-source" content="${escapeHtml(source.toWellFormed())}">`,
  ];
  return `<!DOCTYPE html>\n<html><head>${metas.join('')}</head><body>go get ${escapeHtml(prefix)}</body></html>\n`;
}

async function findReadable(
  deps: Deps,
  request: FastifyRequest,
  parts: readonly string[],
): Promise<ProjectWithNamespace | null> {
  const caller = await gitCaller(deps, request);
  for (let length = parts.length; length >= 2; length -= 1) {
    const match = await findProject(
      deps,
      parts
        .slice(0, length)
        .join('/')
        .replace(/\.git$/, ''),
    );
    if (match === undefined) continue;
    const permissions = await projectPermissions(deps, caller, match.project, match.namespace);
    return permissions.can('read_code') ? match : null;
  }
  return null;
}
