import { ApiError, notFound } from '../../../core/errors.ts';
import { acceptableType } from '../../../http/accept.ts';
import type { BaseContext } from '../../../http/route.ts';
import { editionOf } from '../../../packages/edition.ts';
import type { PackageSource } from '../../../packages/find.ts';
import { pythonName } from '../../../packages/python-name.ts';
import { keptDocument, sendDocument } from '../documents.ts';
import { contentOf, distributions, distributionsOf, namesIn } from './find.ts';
import { contentTypeOf, indexPage, isJson, namePage, SIMPLE_TYPES, type SimpleType } from './simple.ts';

/** What a name or a file takes of memory while a page is made. */
const ROW_BYTES = 2_048;

/** Where an index is: whose packages it shows, and its address below the API. */
export interface IndexPlace {
  source: PackageSource;
  path: string;
  title: string;
}

/** @throws ApiError 406 */
function pageType({ request, reply }: BaseContext): SimpleType {
  const type = acceptableType(request.headers.accept, SIMPLE_TYPES);
  reply.header('Vary', [reply.getHeader('Vary') ?? [], 'Accept'].flat().join(', '));
  if (type === undefined) throw new ApiError(406, `406 Not Acceptable - one of ${SIMPLE_TYPES.join(', ')} can be had`);
  return type;
}

/** What there is of an index, or of a name in it; remembered until the next commit where that shows. */
function edition({ deps: { db, snapshot } }: BaseContext, { source, path }: IndexPlace, nameKey: string | null) {
  const read = () => editionOf(nameKey === null ? distributions(db, source) : distributionsOf(db, source, nameKey));
  return 'projectId' in source ? snapshot.get(`pypi ${path} ${nameKey ?? '*'}`, read) : read();
}

/** Answers with the names of an index. @throws ApiError 406 */
export async function sendIndex(c: BaseContext, place: IndexPlace): Promise<Buffer | undefined> {
  const type = pageType(c);
  const { text, rows } = await edition(c, place, null);
  const base = `${c.deps.externalUrl()}/api/v4${place.path}/simple`;
  const key = `pypi index ${base} ${place.title} ${isJson(type)} ${text}`;
  const document = await keptDocument(c, key, rows * ROW_BYTES, async () =>
    indexPage(place.title, await namesIn(c.deps.db, place.source), base, isJson(type)),
  );
  return sendDocument(c, document, contentTypeOf(type));
}

/** Answers with the files of a name, however it is spelled. @throws ApiError 404, 406 */
export async function sendName(c: BaseContext, place: IndexPlace, name: string): Promise<Buffer | undefined> {
  const type = pageType(c);
  const nameKey = pythonName(name);
  const { text, rows } = await edition(c, place, nameKey);
  if (rows === 0) throw notFound('Package');
  const base = `${c.deps.externalUrl()}/api/v4${place.path}/files`;
  const key = `pypi name ${base} ${nameKey} ${isJson(type)} ${text}`;
  const document = await keptDocument(c, key, rows * ROW_BYTES, async () => {
    const content = await contentOf(c.deps.db, place.source, nameKey, base);
    if (content === undefined) throw notFound('Package');
    return namePage({ name: content.name, nameKey }, content.files, content.versions, isJson(type));
  });
  return sendDocument(c, document, contentTypeOf(type));
}
