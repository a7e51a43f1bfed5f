import { encodeTag, type NewTag, nameObject, ObjectWriter } from '../objects/index.ts';
import type { Repository } from '../repository/index.ts';

/**
 * Writes an annotated tag without moving a reference. Durable when it fulfils. Specification: tags, create with a
 * message.
 * @returns its id
 * @throws GitError as `encodeTag`
 */
export async function writeTag(repo: Repository, tag: NewTag): Promise<string> {
  const format = tag.object.length === 64 ? 'sha256' : 'sha1';
  const data = encodeTag(tag);
  const oid = await nameObject('tag', data, format);
  await new ObjectWriter(repo.dir, format).write([{ type: 'tag', data, oid }]);
  return oid;
}
