import { type TSchema, Type } from 'typebox';
import { unauthorized } from '../../../core/core.errors.ts';
import type { BaseContext, Route } from '../../../http/http.route.ts';
import { READ_PACKAGES, WRITE_PACKAGES } from '../registries.credentials.ts';
import { npmError } from './npm.errors.ts';
import { checkTag, checkVersion } from './npm.names.ts';
import { type PackageReadScope, packageName, type RegistryEndpoint } from './npm.registry-endpoints.ts';
import { EMPTY_AUDIT_REPORT, NpmAudit, NpmDistTags, NpmPackage, NpmUser } from './npm.responses.ts';
import { npmRoute } from './npm.route.ts';
import { removeTag, setTag } from './npm.tags.ts';
import { distTagsOf, packumentOf } from './packument.ts';

const MAX_VERSION_BODY = 4_096;

const NAMED = Type.Object(packageName);
const TAGGED = Type.Object({
  ...packageName,
  tag: Type.String({ description: 'Name of the tag.', examples: ['next'] }),
});

/**
 * Runs a read across several projects. For anonymous callers 404 becomes 401, since projects may be hidden from them.
 */
async function orAsked<T>({ caller, source }: BaseContext & PackageReadScope, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    const hidden = 'readable' in source && (error as { status?: unknown }).status === 404;
    if (hidden && caller.credential.kind === 'none') throw unauthorized();
    throw error;
  }
}

/** Reads the version from the body: a JSON string or plain text. @throws ApiError 400 */
async function readVersion({ bytes }: BaseContext): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of bytes as AsyncIterable<Buffer>) chunks.push(chunk);
  const text = Buffer.concat(chunks).toString('utf8').trim();
  const version = text.replace(/^"(.*)"$/s, '$1');
  if (version === '') throw npmError(400, 'Version is empty.');
  checkVersion(version);
  return version;
}

/** Routes of a registry, for a project, a group and the instance. */
export function registryRoutes({ path, noun, accessible, readable, writable }: RegistryEndpoint): readonly Route[] {
  const where = { Project: 'of a project', Group: 'below a group', Instance: 'anywhere' }[noun];
  const tags = `${path}/-/package/:package_name/dist-tags`;
  const reading = { method: 'GET', access: readable, scopes: READ_PACKAGES } as const;
  const asking = { access: accessible, scopes: READ_PACKAGES } as const;
  const audit = (last: string, name: string, schema: TSchema, response: unknown) =>
    npmRoute({
      ...asking,
      method: 'POST',
      path: `${path}/-/npm/v1/security/${last}`,
      operationId: `audit${noun}NpmPackages${name}`,
      summary: `Audit npm packages (${last})`,
      description: 'There are no advisories: the report is always empty.',
      success: { status: 200, schema },
      handler: () => response,
    });
  const unpublish = (method: 'PUT' | 'DELETE', verb: string) =>
    npmRoute({
      method,
      path: `${path}/:package_name/-rev/:revision`,
      operationId: `${verb}${noun}NpmPackageRevision`,
      summary: `Unpublish versions of an npm package ${where} (refused)`,
      description:
        'Requests of `npm unpublish` are refused with 405, because npm treats 404 as success. Delete versions as packages of their project.',
      access: writable('destroy_package'),
      scopes: WRITE_PACKAGES,
      params: Type.Object({
        ...packageName,
        revision: Type.String({ description: 'Ignored.', examples: ['1'] }),
      }),
      success: { status: 204, empty: true },
      errors: [405],
      handler: () => {
        throw npmError(
          405,
          'npm unpublish is not supported. Delete the version: DELETE /projects/:id/packages/:package_id',
        );
      },
    });
  return [
    unpublish('PUT', 'update'),
    unpublish('DELETE', 'delete'),
    npmRoute({
      ...reading,
      path: `${path}/:package_name`,
      operationId: `get${noun}NpmPackage`,
      summary: `Get the metadata of an npm package ${where}`,
      description:
        'Abbreviated metadata, as npm, yarn and pnpm need it to install. Scope and name are separated by `%2f`. File URLs refer to the project of each version.',
      params: NAMED,
      success: { status: 200, schema: NpmPackage },
      errors: [429],
      handler: (c) => orAsked(c, () => packumentOf(c, c.source, c.params.package_name)),
    }),
    npmRoute({
      ...reading,
      path: tags,
      operationId: `list${noun}NpmPackageTags`,
      summary: `List the dist-tags of an npm package ${where}`,
      params: NAMED,
      success: { status: 200, schema: NpmDistTags },
      handler: (c) => orAsked(c, () => distTagsOf(c, c.source, c.params.package_name)),
    }),
    npmRoute({
      method: 'PUT',
      path: `${tags}/:tag`,
      operationId: `set${noun}NpmPackageTag`,
      summary: `Set a dist-tag of an npm package ${where}`,
      access: writable('create_package'),
      scopes: WRITE_PACKAGES,
      params: TAGGED,
      body: {
        contentType: 'application/json',
        description: 'The version, as a JSON string.',
        limit: () => MAX_VERSION_BODY,
      },
      success: { status: 204, empty: true },
      handler: async (c) => {
        const { package_name: name, tag } = c.params;
        checkTag(tag);
        await setTag(c.deps, { caller: c.caller, projectId: c.projectId, name, tag }, await readVersion(c));
      },
    }),
    npmRoute({
      method: 'DELETE',
      path: `${tags}/:tag`,
      operationId: `delete${noun}NpmPackageTag`,
      summary: `Delete a dist-tag of an npm package ${where}`,
      description: 'Without `latest`, the highest version is used as `latest`.',
      access: writable('destroy_package'),
      scopes: WRITE_PACKAGES,
      params: TAGGED,
      success: { status: 204, empty: true },
      handler: async (c) => {
        const { package_name: name, tag } = c.params;
        await removeTag(c.deps, { caller: c.caller, projectId: c.projectId, name, tag });
      },
    }),
    audit('advisories/bulk', '', Type.Array(Type.Object({}), { examples: [[]] }), []),
    audit('audits/quick', 'Quickly', NpmAudit, EMPTY_AUDIT_REPORT),
    npmRoute({
      ...asking,
      method: 'GET',
      path: `${path}/-/ping`,
      operationId: `ping${noun}NpmRegistry`,
      summary: `Ping the npm registry ${where}`,
      success: { status: 200, schema: Type.Object({}, { examples: [{}] }) },
      handler: () => ({}),
    }),
    npmRoute({
      ...asking,
      method: 'GET',
      path: `${path}/-/whoami`,
      operationId: `get${noun}NpmUser`,
      summary: `Get the name of the caller from the npm registry ${where}`,
      success: { status: 200, schema: NpmUser },
      handler: ({ caller }) => {
        const { user, credential } = caller;
        const username = credential.kind === 'deploy_token' ? credential.token.username : user?.username;
        if (username === undefined) throw unauthorized();
        return { username };
      },
    }),
  ];
}
