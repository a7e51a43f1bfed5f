import { Type } from 'typebox';
import { notFound } from '../../../core/core.errors.ts';
import type { Deps } from '../../../deps.ts';
import { tagSignatureOf } from '../../../git/history/index.ts';
import { type Ref, TAGS } from '../../../git/refs/index.ts';
import { peel, type Repository } from '../../../git/repository/index.ts';
import { checkUnmodifiedSince } from '../../../http/conditional.ts';
import { route } from '../../../http/http.route.ts';
import { API_AND_JOB_TOKENS } from '../../../http/job-tokens.ts';
import { repositoryOf } from '../../../repositories/change-refs.ts';
import { listRefs, type RefQuery, selectRefs } from '../../../repositories/ref-list.ts';
import { loadProtections } from '../../../repositories/repository.protections.ts';
import { releasesOfTags } from '../../../repositories/tag-releases.ts';
import { inProject, inProjectByUser, type ProjectScope } from '../../api.access.ts';
import { presentSignature, Signature } from '../commits/commits.signature.ts';
import { projectUrl } from '../commits/commits.views.ts';
import { CreateTag, ListTags, TagName } from './tags.inputs.ts';
import { Tag } from './tags.responses.ts';
import { presentTag } from './tags.views.ts';
import { createTag, deleteTag, findTag } from './tags.writes.ts';

const PATH = '/projects/:id/repository/tags';
const read = inProject('read_code', { anonymous: true });
const push = inProjectByUser('push_code');

async function presentAll(deps: Deps, { project, permissions }: ProjectScope, repo: Repository, refs: readonly Ref[]) {
  const protections = await loadProtections(deps, project.id);
  const webUrl = projectUrl(deps, project);
  const nameOf = ({ name }: Ref) => name.slice(TAGS.length);
  const releases = permissions.can('read_release')
    ? await releasesOfTags(deps.db, project.id, refs.map(nameOf))
    : new Map<string, never>();
  return Promise.all(refs.map((ref) => presentTag(repo, ref, protections, webUrl, releases.get(nameOf(ref)))));
}

const presentOne = async (deps: Deps, scope: ProjectScope, repo: Repository, ref: Ref) =>
  (await presentAll(deps, scope, repo, [ref]))[0]!;

export const tagRoutes = [
  route({
    method: 'GET',
    path: PATH,
    summary: 'List the tags of a repository',
    credentials: API_AND_JOB_TOKENS,
    access: read,
    input: ListTags,
    success: { status: 200, schema: Type.Array(Tag) },
    errors: [422],
    handler: async (c) => {
      const { deps, project, input } = c;
      const repo = repositoryOf(deps, project);
      const query: RefQuery = {
        folder: TAGS,
        search: input.search,
        order: input.order_by ?? 'updated',
        descending: input.sort !== 'asc',
      };
      const refs = await selectRefs(repo, await repo.refs.list(TAGS), query);
      const token = input.pagination === 'keyset' ? (input.page_token ?? '') : undefined;
      return c.page(
        (page) => listRefs(refs, query, token, page, (start) => refs.slice(start, start + page.size)),
        (shown) => presentAll(deps, c, repo, shown),
      );
    },
  }),
  route({
    method: 'GET',
    path: `${PATH}/:tag_name`,
    summary: 'Get a tag',
    credentials: API_AND_JOB_TOKENS,
    access: read,
    params: Type.Object(TagName),
    success: { status: 200, schema: Tag },
    errors: [404],
    handler: async (c) => {
      const repo = repositoryOf(c.deps, c.project);
      return presentOne(c.deps, c, repo, await findTag(repo, c.params.tag_name));
    },
  }),
  route({
    method: 'POST',
    path: PATH,
    summary: 'Create a tag',
    access: push,
    input: CreateTag,
    success: { status: 201, schema: Tag },
    errors: [400],
    handler: async (c) => {
      const { tag_name, ref, message } = c.input;
      const tag = await createTag(c.deps, c.project, c, { name: tag_name, target: ref, message: message ?? '' });
      return presentOne(c.deps, c, repositoryOf(c.deps, c.project), tag);
    },
  }),
  route({
    method: 'DELETE',
    path: `${PATH}/:tag_name`,
    summary: 'Delete a tag',
    description: 'Deletes its release as well. Protected tags can be deleted by Maintainers.',
    access: push,
    params: Type.Object(TagName),
    success: { status: 204, empty: true },
    errors: [400, 404, 412],
    handler: async (c) => {
      await deleteTag(c.deps, c.project, c, c.params.tag_name, async (repo, { oid }) => {
        const peeled = await peel(repo, oid);
        const commit = peeled === null ? null : await repo.objects.commit(peeled);
        if (commit !== null) checkUnmodifiedSince(c.request, commit.author.date.toISOString());
      });
    },
  }),
  route({
    method: 'GET',
    path: `${PATH}/:tag_name/signature`,
    summary: 'Get the signature of a tag',
    access: read,
    params: Type.Object(TagName),
    success: { status: 200, schema: Signature },
    errors: [404],
    handler: async ({ deps, project, params }) => {
      const repo = repositoryOf(deps, project);
      const { oid } = await findTag(repo, params.tag_name);
      const signature = await tagSignatureOf(repo, oid);
      if (signature === null) throw notFound('Signature');
      return presentSignature(deps, signature, (await repo.objects.tag(oid))?.tagger?.email ?? '');
    },
  }),
];
