import type { FastifyRequest } from 'fastify';
import { type FoundProject, findProject } from '../access/lookup.ts';
import { projectPermissions } from '../access/permissions.ts';
import { escapeHtml } from '../core/html.ts';
import type { Deps } from '../deps.ts';
import { gitCaller } from '../git-server/http/git-http.credentials.ts';
import { repositoryOf } from '../repositories/change-refs.ts';

/** Parts of an import path that are tried as a project's path. */
const MAX_PARTS = 25;

/**
 * What `go get` asks of an import path: where its repository is. A path below nested groups does not tell where the
 * project ends, so the projects on the way are looked for; to those who may not see one it answers as if the first two
 * parts were the project, so that nothing can be learnt about what is there.
 * @param path of the address, without a leading slash
 * @returns a page of HTML, or null for a path that can be no project's
 */
export async function goGetPage(deps: Deps, request: FastifyRequest, path: string): Promise<string | null> {
  const parts = path.split('/').filter((part) => part !== '');
  if (parts.length < 2 || parts.some((part) => part === '.' || part === '..')) return null;
  const found = await findReadable(deps, request, parts.slice(0, MAX_PARTS));
  const project = found?.project.full_path ?? parts.slice(0, 2).join('/');
  const branch = found === null ? 'main' : ((await repositoryOf(deps, found.project).refs.head()) ?? 'main');
  const url = `${deps.externalUrl()}/${project}`;
  // Go takes no module path with a port in it; the module proxy leaves it away, too.
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
): Promise<FoundProject | null> {
  const caller = await gitCaller(deps, request);
  for (let length = parts.length; length >= 2; length -= 1) {
    const found = await findProject(
      deps,
      parts
        .slice(0, length)
        .join('/')
        .replace(/\.git$/, ''),
    );
    if (found === undefined) continue;
    const permissions = await projectPermissions(deps, caller, found.project, found.namespace);
    return permissions.can('read_code') ? found : null;
  }
  return null;
}
