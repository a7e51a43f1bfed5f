import { ApiError, notFound } from '../../../core/core.errors.ts';
import { acceptableType } from '../../../http/http.accept.ts';
import type { BaseContext } from '../../../http/http.route.ts';
import { collectionVersionOf } from '../../../packages/edition.ts';
import type { PackageSource } from '../../../packages/package-registry.find.ts';
import { cachedDocument, sendDocument } from '../registries.documents.ts';
import { contentOf, distributions, distributionsOf, namesIn } from './pypi.find.ts';
import { pythonName } from './pypi.names.ts';
import { contentTypeOf, indexPage, isJson, namePage, SIMPLE_TYPES, type SimpleType } from './pypi.simple.ts';

/** Memory of a name or file while a page is built, in bytes. */
const ROW_BYTES = 2_048;

/** Packages and path of an index. */
export interface IndexScope {
  source: PackageSource;
  path: string;
  title: string;
}

/** @throws ApiError 406 */
function pageType({ request, reply }: BaseContext): SimpleType {
  const type = acceptableType(request.headers.accept, SIMPLE_TYPES);
  reply.header('Vary', [reply.getHeader('Vary') ?? [], 'Accept'].flat().join(', '));
  if (type === undefined)
    throw new ApiError(406, `406 Not Acceptable - supported types are ${SIMPLE_TYPES.join(', ')}`);
  return type;
}

/** Returns the version of the packages of an index, or of a name in it; cached until the next commit where possible. */
function edition({ deps: { db, snapshot } }: BaseContext, { source, path }: IndexScope, nameKey: string | null) {
  const read = () =>
    collectionVersionOf(nameKey === null ? distributions(db, source) : distributionsOf(db, source, nameKey));
  return 'projectId' in source ? snapshot.get(`pypi ${path} ${nameKey ?? '*'}`, read) : read();
}

/** Sends the names of an index. @throws ApiError 406 */
export async function sendIndex(c: BaseContext, scope: IndexScope): Promise<Buffer | undefined> {
  const type = pageType(c);
  const { text, rows } = await edition(c, scope, null);
  const base = `${c.deps.externalUrl()}/api/v4${scope.path}/simple`;
  const key = `pypi index ${base} ${scope.title} ${isJson(type)} ${text}`;
  const document = await cachedDocument(c, key, rows * ROW_BYTES, async () =>
    indexPage(scope.title, await namesIn(c.deps.db, scope.source), base, isJson(type)),
  );
  return sendDocument(c, document, contentTypeOf(type));
}

/** Sends the files of a name, however it is spelled. @throws ApiError 404, 406 */
export async function sendName(c: BaseContext, scope: IndexScope, name: string): Promise<Buffer | undefined> {
  const type = pageType(c);
  const nameKey = pythonName(name);
  const { text, rows } = await edition(c, scope, nameKey);
  if (rows === 0) throw notFound('Package');
  const base = `${c.deps.externalUrl()}/api/v4${scope.path}/files`;
  const key = `pypi name ${base} ${nameKey} ${isJson(type)} ${text}`;
  const document = await cachedDocument(c, key, rows * ROW_BYTES, async () => {
    const content = await contentOf(c.deps.db, scope.source, nameKey, base);
    if (content === undefined) throw notFound('Package');
    return namePage({ name: content.name, nameKey }, content.files, content.versions, isJson(type));
  });
  return sendDocument(c, document, contentTypeOf(type));
}
