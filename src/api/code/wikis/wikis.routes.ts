import { Type } from 'typebox';
import { notFound } from '../../../core/core.errors.ts';
import type { Deps } from '../../../deps.ts';
import { resolveRevision } from '../../../git/repository/index.ts';
import { type BaseContext, type Route, type RouteOptions, route } from '../../../http/http.route.ts';
import { repositoryOf } from '../../../repositories/change-refs.ts';
import { findWiki } from '../../../repositories/repository.wikis.ts';
import type { SourceKind } from '../../spaces/index.ts';
import { attach } from './attachments.ts';
import { type WikiScope, wikiReader, wikiWriter } from './wikis.access.ts';
import { wikiAttachmentRoutes } from './wikis.attachment-routes.ts';
import * as inputs from './wikis.inputs.ts';
import { createPage, deletePage, updatePage, type WrittenPage } from './wikis.page-writes.ts';
import { headOf, pagesOf } from './wikis.pages.ts';
import { WikiAttachment, WikiPage, WikiPageBasic } from './wikis.responses.ts';
import { htmlOf, numbersOf, presentBasic, presentPage, readTexts } from './wikis.views.ts';
import { requirePage } from './wikis.writes.ts';

/** Words for operation ids. */
const NAMES = { project: 'Project', group: 'Group' } as const;

/**
 * Opens the repository of a wiki with its pages at a commit, by default the latest; null if the wiki does not exist.
 */
async function open(deps: Deps, { owner }: WikiScope, version?: string) {
  const wiki = await findWiki(deps.db, owner);
  if (wiki === undefined) return null;
  const repo = repositoryOf(deps, wiki);
  const commit = version === undefined ? (await headOf(repo)).oid : (await resolveRevision(repo, version))?.oid;
  if (commit === undefined) return null;
  return { wiki, repo, commit, pages: await pagesOf(repo, commit) };
}

/** Renders a page that was just written, even if memory is scarce, since the write cannot be undone. */
async function presentWritten(c: BaseContext, scope: WikiScope, { slug, repo, head }: WrittenPage) {
  const { deps } = c;
  const wiki = await findWiki(deps.db, scope.owner);
  if (wiki === undefined) throw notFound('Wiki Page');
  const page = requirePage((await pagesOf(repo, head)).find(slug));
  const [text] = await readTexts(repo, [page], (bytes) => c.hold(bytes).catch(() => {}));
  return presentPage(page, await numbersOf(deps.db, wiki.id, page.slug), text!);
}

function readRoutes(kind: SourceKind, path: string, paid: Pick<RouteOptions<never, never, never>, 'plan'>): Route[] {
  const access = wikiReader(kind);
  return [
    route({
      method: 'GET',
      path,
      ...paid,
      operationId: `list${NAMES[kind]}WikiPages`,
      summary: `List the pages of the wiki of a ${kind}`,
      description: 'All pages, ordered by path.',
      access,
      input: inputs.listPages,
      success: { status: 200, schema: Type.Array(Type.Union([WikiPage, WikiPageBasic])) },
      errors: [413],
      handler: async (c) => {
        const wiki = await open(c.deps, c);
        if (wiki === null) return [];
        const { repo, pages } = wiki;
        const numbers = await numbersOf(c.deps.db, wiki.wiki.id);
        if (c.input.with_content !== true) return pages.pages.map((page) => presentBasic(page, numbers));
        const texts = await readTexts(repo, pages.pages, (bytes) => c.hold(bytes));
        return pages.pages.map((page, index) => presentPage(page, numbers, texts[index]!));
      },
    }),
    route({
      method: 'GET',
      path: `${path}/*slug`,
      ...paid,
      operationId: `get${NAMES[kind]}WikiPage`,
      summary: `Get a page of the wiki of a ${kind}`,
      access,
      params: Type.Object(inputs.Slug),
      input: inputs.showPage,
      success: { status: 200, schema: WikiPage },
      errors: [404, 413, 422, 429],
      handler: async (c) => {
        const { wiki, repo, pages } = requirePage(await open(c.deps, c, c.input.version));
        const page = requirePage(pages.find(c.params.slug));
        const hold = (bytes: number) => c.hold(bytes);
        const [text] = await readTexts(repo, [page], hold);
        const html = c.input.render_html === true ? await htmlOf(c.deps, c, page, text!, hold) : undefined;
        return presentPage(page, await numbersOf(c.deps.db, wiki.id, page.slug), text!, html);
      },
    }),
  ];
}

function writeRoutes(kind: SourceKind, path: string, paid: Pick<RouteOptions<never, never, never>, 'plan'>): Route[] {
  const writer = wikiWriter(kind, 'create');
  const slug = Type.Object(inputs.Slug);
  const change = (c: WikiScope & { caller: Parameters<typeof createPage>[1]['caller'] }) =>
    ({ scope: c, caller: c.caller, ability: 'create' }) as const;
  return [
    route({
      method: 'POST',
      path,
      ...paid,
      operationId: `create${NAMES[kind]}WikiPage`,
      summary: `Create a page of the wiki of a ${kind}`,
      access: writer,
      bodyLimit: 'file',
      input: inputs.createPage,
      success: { status: 201, schema: WikiPage },
      errors: [409, 413],
      handler: async (c) => presentWritten(c, c, await createPage(c.deps, change(c), c.input)),
    }),
    route({
      method: 'PUT',
      path: `${path}/*slug`,
      ...paid,
      operationId: `update${NAMES[kind]}WikiPage`,
      summary: `Update a page of the wiki of a ${kind}`,
      description: 'When the title changes, the pages below it are moved as well.',
      access: writer,
      bodyLimit: 'file',
      params: slug,
      input: inputs.updatePage,
      rules: inputs.updateRules,
      success: { status: 200, schema: WikiPage },
      errors: [409, 413],
      handler: async (c) => presentWritten(c, c, await updatePage(c.deps, change(c), c.params.slug, c.input)),
    }),
    route({
      method: 'DELETE',
      path: `${path}/*slug`,
      ...paid,
      operationId: `delete${NAMES[kind]}WikiPage`,
      summary: `Delete a page of the wiki of a ${kind}`,
      access: wikiWriter(kind, 'admin'),
      params: slug,
      success: { status: 204, empty: true },
      errors: [409],
      handler: (c) => deletePage(c.deps, { scope: c, caller: c.caller, ability: 'admin' }, c.params.slug),
    }),
    route({
      method: 'POST',
      path: `${path}/attachments`,
      ...paid,
      operationId: `upload${NAMES[kind]}WikiAttachment`,
      summary: `Upload a file to the wiki of a ${kind}`,
      description: 'Commits the file to the wiki repository, so that pages can refer to it.',
      access: writer,
      bodyLimit: 'file',
      input: inputs.attachment,
      success: { status: 201, schema: WikiAttachment },
      errors: [409, 413],
      handler: (c) => attach(c.deps, { ...change(c), branch: c.input.branch }, c.input.file),
    }),
  ];
}

/** Wikis of projects and groups. */
export const wikiRoutes: readonly Route[] = (['project', 'group'] as const)
  .flatMap((kind) => {
    const paid = kind === 'group' ? ({ plan: 'premium' } as const) : {};
    const path = `/${kind}s/:id/wikis`;
    return [...readRoutes(kind, path, paid), ...writeRoutes(kind, path, paid)];
  })
  .concat(wikiAttachmentRoutes);
