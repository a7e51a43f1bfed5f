import type { FastifyReply } from 'fastify';
import { type Static, Type } from 'typebox';
import { invalidParameter } from '../../../core/core.errors.ts';
import { type BaseContext, route } from '../../../http/http.route.ts';
import { Filled } from '../../../http/http.schema.ts';
import { matchesEtag, sendCached } from '../../../http/http.send.ts';
import { API_AND_JOB_TOKENS } from '../../../http/job-tokens.ts';
import { inProject, type ProjectScope } from '../../api.access.ts';
import { blameFile } from './repository-files.blame.ts';
import { type LargeBlobLimit, locateFile, readFile, readFileHeaders } from './repository-files.files.ts';
import { FilePath, RequiredRef } from './repository-files.inputs.ts';
import { openRaw } from './repository-files.raw.ts';
import { BlameRange, RepositoryFile } from './repository-files.responses.ts';

const readable = inProject('read_code', { anonymous: true });
const scopes = ['read_repository'];

const metadataSchema = Object.fromEntries(
  [
    'Blob-Id',
    'Commit-Id',
    'Content-Sha256',
    'Encoding',
    'File-Name',
    'File-Path',
    'Last-Commit-Id',
    'Ref',
    'Size',
    'Execute-Filemode',
  ].map((name) => [`X-Svc-${name}`, Type.String()]),
);

const blameInput = Type.Object({
  ...RequiredRef,
  range: Type.Optional(
    Type.Object({
      start: Type.Integer({ minimum: 1, description: 'Number of the first line.' }),
      end: Type.Integer({ minimum: 1, description: 'Number of the last line.' }),
    }),
  ),
});

/** Five requests a minute for blobs over 10 MB (part 1, section 8.3). */
function largeBlobLimit(c: BaseContext & ProjectScope): LargeBlobLimit {
  const { deps, caller, request, project } = c;
  const who = caller.user === null ? request.ip : `user:${caller.user.id}`;
  return {
    hold: (bytes) => c.hold(bytes),
    check: () => deps.limiter.check('large_blob', `${project.id}:${who}`, { requests: 5, periodSeconds: 60 }),
  };
}

const setHeaders = (reply: FastifyReply, headers: Readonly<Record<string, string>>) => {
  reply.headers(headers);
};

function readRange(input: Static<typeof blameInput>) {
  const { range } = input;
  if (range !== undefined && range.start > range.end) {
    throw invalidParameter('range[start] must be less than or equal to range[end]');
  }
  return range;
}

const rawInput = Type.Object({
  ref: Type.Optional(Filled({ description: 'Branch, tag or commit; the default branch when absent.' })),
  lfs: Type.Optional(Type.Boolean({ default: false, description: 'Send the LFS object instead of its pointer.' })),
});

type RawContext = BaseContext & ProjectScope & { params: { file_path: string }; input: Static<typeof rawInput> };

async function sendRaw(c: RawContext) {
  const file = await locateFile(c.deps, c.project, c.params.file_path, c.input.ref ?? 'HEAD');
  const raw = await openRaw(c.deps, c.project, file, { lfs: c.input.lfs === true, signal: () => c.signal });
  if ('json' in raw) return sendCached(c.request, c.reply, raw);
  const known = c.request.headers['if-none-match'];
  if (known !== undefined && matchesEtag(known, raw.etag)) return c.reply.code(304).header('ETag', raw.etag).send();
  setHeaders(c.reply, raw.headers);
  return c.request.method === 'HEAD' ? c.reply.send() : raw.open();
}

export const readRoutes = [
  route({
    method: 'GET',
    path: '/projects/:id/repository/files/:file_path',
    summary: 'Get a file, with Base64-encoded content',
    access: readable,
    cacheable: [],
    scopes,
    params: Type.Object(FilePath),
    input: Type.Object(RequiredRef),
    success: { status: 200, schema: RepositoryFile, headers: metadataSchema },
    errors: [400, 404, 413, 429],
    handler: async (c) => {
      const file = await locateFile(c.deps, c.project, c.params.file_path, c.input.ref);
      return sendCached(c.request, c.reply, await readFile(c.deps, file, largeBlobLimit(c)));
    },
  }),
  route({
    method: 'HEAD',
    path: '/projects/:id/repository/files/:file_path',
    summary: 'Get the metadata of a file in headers',
    access: readable,
    scopes,
    params: Type.Object(FilePath),
    input: Type.Object(RequiredRef),
    success: { status: 200, empty: true, headers: metadataSchema },
    errors: [400, 404],
    handler: async (c) => {
      const file = await locateFile(c.deps, c.project, c.params.file_path, c.input.ref);
      setHeaders(c.reply, await readFileHeaders(file));
    },
  }),
  route({
    method: 'GET',
    path: '/projects/:id/repository/files/:file_path/blame',
    summary: 'Get the blame of a file',
    access: readable,
    scopes,
    expensive: true,
    params: Type.Object(FilePath),
    input: blameInput,
    success: { status: 200, schema: Type.Array(BlameRange), headers: metadataSchema },
    errors: [400, 404, 429],
    handler: async (c) => {
      const range = readRange(c.input);
      const location = await locateFile(c.deps, c.project, c.params.file_path, c.input.ref);
      setHeaders(c.reply, await readFileHeaders(location));
      return blameFile(c.deps, location, range);
    },
  }),
  route({
    method: 'HEAD',
    path: '/projects/:id/repository/files/:file_path/blame',
    summary: 'Get the metadata of the blame of a file in headers',
    access: readable,
    scopes,
    params: Type.Object(FilePath),
    input: blameInput,
    success: { status: 200, empty: true, headers: metadataSchema },
    errors: [400, 404],
    handler: async (c) => {
      readRange(c.input);
      const file = await locateFile(c.deps, c.project, c.params.file_path, c.input.ref);
      setHeaders(c.reply, await readFileHeaders(file));
    },
  }),
  route({
    method: 'GET',
    path: '/projects/:id/repository/files/:file_path/raw',
    summary: 'Get the raw content of a file',
    credentials: API_AND_JOB_TOKENS,
    access: readable,
    cacheable: [],
    scopes,
    params: Type.Object(FilePath),
    input: Type.Object({
      ref: Type.Optional(Filled({ description: 'Branch, tag or commit; the default branch when absent.' })),
      lfs: Type.Optional(Type.Boolean({ default: false, description: 'Send the LFS object instead of its pointer.' })),
    }),
    success: { status: 200, contentType: ['text/plain', 'application/octet-stream'], headers: metadataSchema },
    errors: [400, 404],
    handler: sendRaw,
  }),
  route({
    method: 'HEAD',
    path: '/projects/:id/repository/files/:file_path/raw',
    summary: 'Get the size and metadata of a raw file in headers',
    credentials: API_AND_JOB_TOKENS,
    access: readable,
    scopes,
    params: Type.Object(FilePath),
    input: rawInput,
    success: { status: 200, empty: true, headers: metadataSchema },
    errors: [400, 404],
    handler: sendRaw,
  }),
];
