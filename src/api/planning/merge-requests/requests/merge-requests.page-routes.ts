import type { Readable } from 'node:stream';
import type { Deps } from '../../../../deps.ts';
import { mailPatch, rawPatch } from '../../../../git/diff/index.ts';
import type { Repository } from '../../../../git/repository/index.ts';
import { type BaseContext, route } from '../../../../http/http.route.ts';
import type { ProjectScope } from '../../../api.access.ts';
import { diffReader, mergeRequestReader, params } from '../lifecycle/merge-requests.access.ts';
import { currentVersion, versionRepository } from './merge-requests.changes.ts';

type Asked = BaseContext & ProjectScope & { params: { merge_request_iid: number }; deps: Deps };
type Print = (repo: Repository, from: string, to: string, signal: AbortSignal) => Readable;

const common = {
  method: 'GET',
  root: true,
  access: mergeRequestReader,
  params,
  expensive: true,
  success: { status: 200, contentType: 'text/plain', description: 'The content as text, streamed.' },
  errors: [404, 429],
} as const;

const send = (print: Print) => async (c: Asked) => {
  const version = await currentVersion(c.deps, await diffReader(c));
  c.reply.type('text/plain; charset=utf-8');
  if (version === undefined) return '';
  const repo = versionRepository(c.deps, c.project);
  return print(repo, version.base_commit_sha, version.head_commit_sha, c.signal);
};

/** A merge request as patch or diff at its web URL, for tools that apply it. */
export const mergeRequestPageRoutes = [
  route({
    ...common,
    path: '/:id/-/merge_requests/:merge_request_iid.diff',
    summary: 'Get the diff of a merge request as text',
    handler: send(rawPatch),
  }),
  route({
    ...common,
    path: '/:id/-/merge_requests/:merge_request_iid.patch',
    summary: 'Get the commits of a merge request as patches for git am',
    handler: send(mailPatch),
  }),
];
