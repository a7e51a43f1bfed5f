import { Type } from 'typebox';
import { notFound } from '../../../core/core.errors.ts';
import { type Route, route } from '../../../http/http.route.ts';
import { Serialized } from '../../../http/http.send.ts';
import { recordDownload } from '../../../packages/downloads.ts';
import { sendArchive } from '../../code/index.ts';
import { publishes, readsGroupRegistry, readsRegistry } from '../registries.access.ts';
import { CHALLENGED, READ_PACKAGES, WRITE_PACKAGES } from '../registries.credentials.ts';
import { sendDocument } from '../registries.documents.ts';
import { CREATED, CreatedMessage } from '../registries.responses.ts';
import { documentOfName, matchesDigest, providers, rootDocument } from './composer.documents.ts';
import { versionAt } from './composer.find.ts';
import { registerVersion } from './composer.register.ts';

const JSON_TYPE = 'application/json';
const shared = { tag: 'Composer packages', credentials: CHALLENGED } as const;
const vendor = Type.String({
  description: 'Vendor: the part of the package name before the slash.',
  examples: ['acme'],
});
const reading = {
  ...shared,
  method: 'GET',
  access: readsGroupRegistry,
  scopes: READ_PACKAGES,
  success: { status: 200, contentType: JSON_TYPE, description: 'JSON document for Composer.' },
} as const;

/** Returns the text before a suffix in the last path segment. @throws ApiError 404 without the suffix */
function before(ending: string, text: string): string {
  if (!text.endsWith(ending)) throw notFound('Package');
  return text.slice(0, -ending.length);
}

/** Repository of a group. Composer's own plugins and documentation say `group` here, all others `groups`. */
const groupRoutes = (face: 'group' | 'groups', word: string): readonly Route[] => [
  ...['packages', 'packages.json'].map((file) =>
    route({
      ...reading,
      path: `/${face}/:id/-/packages/composer/${file}`,
      operationId: `get${word}Composer${file === 'packages' ? 'Packages' : 'PackagesFile'}`,
      summary: 'Get the Composer repository index of a group',
      description: 'URLs of the package documents; for Composer 1 with checksums.',
      handler: async (c) => {
        c.reply.header('Vary', [c.reply.getHeader('Vary') ?? [], 'User-Agent'].flat().join(', '));
        return sendDocument(c, Serialized.of(await rootDocument(c, c.group, face)), JSON_TYPE);
      },
    }),
  ),
  route({
    ...reading,
    path: `/${face}/:id/-/packages/composer/p/:file_name`,
    operationId: `get${word}ComposerProviders`,
    summary: 'List the checksums of the Composer packages of a group',
    description: 'Only for Composer 1.',
    params: Type.Object({
      file_name: Type.String({ description: 'SHA-256 checksum of the document, followed by `.json`.' }),
    }),
    handler: async (c) => {
      const document = await providers(c, c.group);
      return sendDocument(c, matchesDigest(document, before('.json', c.params.file_name)), JSON_TYPE);
    },
  }),
  route({
    ...reading,
    path: `/${face}/:id/-/packages/composer/p2/:vendor/:file_name`,
    operationId: `get${word}ComposerPackage`,
    summary: 'List the versions of a Composer package of a group',
    description: 'From all projects of the group and its subgroups whose packages the caller may read.',
    params: Type.Object({
      vendor,
      file_name: Type.String({ description: 'Rest of the package name, followed by `.json`.', examples: ['app.json'] }),
    }),
    handler: async (c) => {
      const { vendor, file_name } = c.params;
      const document = await documentOfName(c, c.group, `${vendor}/${before('.json', file_name)}`);
      return sendDocument(c, document, JSON_TYPE);
    },
  }),
  route({
    ...reading,
    path: `/${face}/:id/-/packages/composer/:vendor/:file_name`,
    operationId: `get${word}ComposerPackageByDigest`,
    summary: 'List the versions of a Composer package of a group by checksum',
    description: 'Only for Composer 1.',
    params: Type.Object({
      vendor,
      file_name: Type.String({
        description: 'Rest of the package name, `$`, the SHA-256 checksum of the document, and `.json`.',
        examples: ['app$9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08.json'],
      }),
    }),
    handler: async (c) => {
      const { vendor, file_name } = c.params;
      const [name = '', digest = ''] = before('.json', file_name).split('$');
      const document = await documentOfName(c, c.group, `${vendor}/${name}`);
      return sendDocument(c, matchesDigest(document, digest), JSON_TYPE);
    },
  }),
];

/** PHP packages, whose versions are commits of their project (part 1, section 4.7). */
export const composerRoutes: readonly Route[] = [
  route({
    ...shared,
    method: 'POST',
    path: '/projects/:id/packages/composer',
    operationId: 'registerComposerPackage',
    summary: 'Publish a version of a Composer package',
    description:
      'The version is derived from a tag (`1.0.0` or `v1.0.0`) or a branch (`dev-main`; `1.2.x-dev` for `1.2`), the name from composer.json. Publishing it again moves the version to the current commit of the tag or branch.',
    access: publishes,
    scopes: WRITE_PACKAGES,
    input: Type.Object({
      tag: Type.Optional(Type.String({ description: 'Name of the tag.', minLength: 1 })),
      branch: Type.Optional(Type.String({ description: 'Name of the branch.', minLength: 1 })),
    }),
    rules: { exactlyOne: [['tag', 'branch']] },
    success: { status: 201, schema: CreatedMessage },
    errors: [422],
    handler: async (c) => {
      await registerVersion(c, c.project, c.input);
      return CREATED;
    },
  }),
  route({
    ...shared,
    method: 'GET',
    path: '/projects/:id/packages/composer/archives/:vendor/:file_name',
    operationId: 'downloadComposerArchive',
    summary: 'Download a version of a Composer package',
    // Unlike Go modules, which are any tag, only published versions are available: deploy tokens need no
    // `read_repository`.
    access: readsRegistry,
    scopes: READ_PACKAGES,
    expensive: true,
    params: Type.Object({
      vendor,
      file_name: Type.String({ description: 'Rest of the package name, followed by `.zip`.', examples: ['app.zip'] }),
    }),
    input: Type.Object({
      sha: Type.String({ description: 'Full id of the current or an earlier commit of the version.' }),
    }),
    success: {
      status: 200,
      contentType: 'application/zip',
      description: 'All files of the commit, in a single folder.',
    },
    errors: [404, 422, 429],
    handler: async (c) => {
      const { vendor, file_name } = c.params;
      const sha = c.input.sha.toLowerCase();
      if (!/^(?:[0-9a-f]{40}|[0-9a-f]{64})$/.test(sha)) throw notFound('Package');
      const name = `${vendor}/${before('.zip', file_name)}`;
      const versionId = await versionAt(c.deps.db, { projectId: c.project.id }, name, sha);
      if (versionId === undefined) throw notFound('Package');
      const archive = await sendArchive(c, { sha, format: 'zip' });
      if (c.request.method !== 'HEAD' && archive !== undefined) recordDownload(c.deps, versionId);
      return archive;
    },
  }),
  ...groupRoutes('group', 'Group'),
  ...groupRoutes('groups', 'Groups'),
];
