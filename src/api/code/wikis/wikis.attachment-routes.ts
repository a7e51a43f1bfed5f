import { Type } from 'typebox';
import { requirePlan } from '../../../access/access.plan.ts';
import { notFound } from '../../../core/core.errors.ts';
import { entryAt } from '../../../git/trees/index.ts';
import { contentDisposition } from '../../../http/http.headers.ts';
import { type Access, type Route, route } from '../../../http/http.route.ts';
import { repositoryOf } from '../../../repositories/change-refs.ts';
import { findWiki } from '../../../repositories/repository.wikis.ts';
import { SHOWN_TYPES, shownType } from '../../spaces/index.ts';
import { FOLDER } from './attachments.ts';
import { type WikiScope, wikiReader } from './wikis.access.ts';
import { headOf } from './wikis.pages.ts';

/** Smaller attachments are sent from memory, larger ones streamed from git. */
const MAX_IN_MEMORY = 1024 * 1024;
/** Path of a group in web URLs. */
const OF_GROUP = /^groups\/(.+)$/;

/** Callers who may read the wiki of a web URL. */
const byAddress: Access<WikiScope> = {
  ...wikiReader('project'),
  check: async (request) => {
    const group = OF_GROUP.exec(request.params.id!)?.[1];
    if (group === undefined) return wikiReader('project').check(request);
    const scope = await wikiReader('group').check({ ...request, params: { ...request.params, id: group } });
    await requirePlan(request.deps, 'premium');
    return scope;
  },
};

/** URLs of attachments in wiki pages. */
export const wikiAttachmentRoutes: readonly Route[] = [
  route({
    method: 'GET',
    root: true,
    path: '/:id/-/wikis/uploads/:secret/:filename',
    operationId: 'downloadWikiAttachment',
    tag: 'Wikis',
    summary: 'Get an attachment of a wiki by its web address',
    description: 'The path of the project is not URL-encoded here. Paths of groups follow `groups/`.',
    access: byAddress,
    scopes: ['read_repository'],
    params: Type.Object({
      secret: Type.String({ description: 'The 32 hexadecimal digits of the upload path.' }),
      filename: Type.String({ description: 'Name of the file.' }),
    }),
    success: { status: 200, contentType: SHOWN_TYPES },
    errors: [404],
    handler: async ({ deps, owner, params: { secret, filename }, reply, request, signal }) => {
      const wiki = await findWiki(deps.db, owner);
      const repo = wiki && repositoryOf(deps, wiki);
      const head = repo && (await headOf(repo)).oid;
      const entry = repo && head ? await entryAt(repo, head, `${FOLDER}/${secret}/${filename}`) : null;
      // A symbolic link is a blob too, but not a file to send.
      const file =
        entry?.type === 'blob' && entry.mode !== '120000' ? await repo!.objects.read(entry.oid, MAX_IN_MEMORY) : null;
      if (file === null) throw notFound('File');
      const type = shownType(filename);
      reply.headers({
        'Content-Type': type ?? 'application/octet-stream',
        'Content-Length': String(file.size),
        'Content-Disposition': contentDisposition(type === undefined ? 'attachment' : 'inline', filename),
        'Cache-Control': 'private, must-revalidate, max-age=0',
      });
      if (request.method === 'HEAD') return reply.send();
      return file.data ?? repo!.objects.stream(entry!.oid, { signal });
    },
  }),
];
