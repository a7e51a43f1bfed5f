import { type Static, Type } from 'typebox';
import { recordNotFound } from '../../../../core/core.errors.ts';
import type { MergeRequestDiff } from '../../../../db/tables/merge-request-diffs.table.ts';
import { PATCH_MEMORY, rawPatch } from '../../../../git/diff/index.ts';
import { route } from '../../../../http/http.route.ts';
import { Instant, Nullable, pagination } from '../../../../http/http.schema.ts';
import { Commit, Diff, presentDiff } from '../../../code/index.ts';
import {
  diffReader,
  MERGE_REQUEST_PATH,
  MergeRequestIid,
  mergeRequestReader,
  params,
} from '../lifecycle/merge-requests.access.ts';
import { MAX_COMMITS } from '../lifecycle/merge-requests.version.ts';
import { presentMergeRequest } from '../views/merge-requests.detail-views.ts';
import { MergeRequest } from '../views/merge-requests.responses.ts';
import {
  currentVersion,
  findVersion,
  versionCommits,
  versionDiff,
  versionRepository,
  versionsOf,
} from './merge-requests.changes.ts';

const unidiff = Type.Optional(
  Type.Boolean({ default: false, description: 'Return diffs in unified format, with the --- and +++ lines.' }),
);

const versionFields = {
  id: Type.Integer(),
  head_commit_sha: Type.String(),
  base_commit_sha: Type.String(),
  start_commit_sha: Type.String(),
  created_at: Instant(),
  merge_request_id: Type.Integer(),
  state: Type.String(),
  real_size: Type.String(),
  patch_id_sha: Nullable(Type.String()),
};
const Version = Type.Object(versionFields);

const presentVersion = (version: MergeRequestDiff): Static<typeof Version> => ({
  id: version.id,
  head_commit_sha: version.head_commit_sha,
  base_commit_sha: version.base_commit_sha,
  start_commit_sha: version.start_commit_sha,
  created_at: version.created_at,
  merge_request_id: version.merge_request_id,
  state: version.state,
  real_size: version.real_size,
  patch_id_sha: version.patch_id_sha,
});

export const mergeRequestChangeRoutes = [
  route({
    method: 'GET',
    path: `${MERGE_REQUEST_PATH}/changes`,
    summary: 'Get a merge request with the files it changes',
    deprecated: true,
    access: mergeRequestReader,
    params,
    input: Type.Object({
      access_raw_diffs: Type.Optional(Type.Boolean({ description: 'Has no effect: diffs are always read from git.' })),
      unidiff,
    }),
    success: {
      status: 200,
      schema: Type.Object({ ...MergeRequest.properties, changes: Type.Array(Diff), overflow: Type.Boolean() }),
    },
    errors: [404],
    handler: async (c) => {
      const row = await diffReader(c);
      const { files, overflow } = await versionDiff(c.deps, c.project, await currentVersion(c.deps, row));
      const changes = files.map((file) => presentDiff(file, c.input.unidiff === true));
      return { ...(await presentMergeRequest(c.deps, c, row)), changes, overflow };
    },
  }),
  route({
    method: 'GET',
    path: `${MERGE_REQUEST_PATH}/diffs`,
    summary: 'List the files that a merge request changes',
    access: mergeRequestReader,
    params,
    input: Type.Object({ unidiff, ...pagination }),
    success: { status: 200, schema: Type.Array(Diff) },
    errors: [404],
    handler: async (c) => {
      const row = await diffReader(c);
      const { files } = await versionDiff(c.deps, c.project, await currentVersion(c.deps, row));
      return c.page(files, (shown) => shown.map((file) => presentDiff(file, c.input.unidiff === true)));
    },
  }),
  route({
    method: 'GET',
    path: `${MERGE_REQUEST_PATH}/raw_diffs`,
    summary: 'Get the raw diff of a merge request',
    access: mergeRequestReader,
    params,
    expensive: true,
    success: { status: 200, contentType: 'text/plain', description: 'The diff as text, streamed.' },
    errors: [404, 429],
    handler: async (c) => {
      const version = await currentVersion(c.deps, await diffReader(c));
      c.reply.type('text/plain; charset=utf-8');
      if (version === undefined) return '';
      const repo = versionRepository(c.deps, c.project);
      const { base_commit_sha: base, head_commit_sha: head } = version;
      return c.stream(PATCH_MEMORY, () => rawPatch(repo, base, head, c.signal));
    },
  }),
  route({
    method: 'GET',
    path: `${MERGE_REQUEST_PATH}/commits`,
    summary: 'List the commits of a merge request',
    access: mergeRequestReader,
    params,
    input: Type.Object(pagination),
    success: { status: 200, schema: Type.Array(Commit) },
    errors: [404],
    handler: async (c) => {
      const version = await currentVersion(c.deps, await diffReader(c));
      return c.page((page) => versionCommits(c.deps, c.project, version, page));
    },
  }),
  route({
    method: 'GET',
    path: `${MERGE_REQUEST_PATH}/versions`,
    summary: 'List the versions of a merge request',
    description: 'Each push to the source branch creates a version.',
    access: mergeRequestReader,
    params,
    input: Type.Object(pagination),
    success: { status: 200, schema: Type.Array(Version) },
    errors: [404],
    handler: async (c) => c.page(versionsOf(c.deps, await diffReader(c)), (rows) => rows.map(presentVersion)),
  }),
  route({
    method: 'GET',
    path: `${MERGE_REQUEST_PATH}/versions/:version_id`,
    summary: 'Get a version of a merge request with its commits and diffs',
    access: mergeRequestReader,
    params: Type.Object({ ...MergeRequestIid, version_id: Type.Integer() }),
    input: Type.Object({ unidiff }),
    success: {
      status: 200,
      schema: Type.Object({ ...versionFields, commits: Type.Array(Commit), diffs: Type.Array(Diff) }),
    },
    errors: [404],
    handler: async (c) => {
      const version = await findVersion(c.deps, await diffReader(c), c.params.version_id);
      if (version === undefined) throw recordNotFound();
      const { rows: commits } = await versionCommits(c.deps, c.project, version, { offset: 0, size: MAX_COMMITS });
      const { files } = await versionDiff(c.deps, c.project, version);
      const diffs = files.map((file) => presentDiff(file, c.input.unidiff === true));
      return { ...presentVersion(version), commits, diffs };
    },
  }),
];
