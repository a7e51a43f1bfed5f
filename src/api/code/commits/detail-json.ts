import type { Repository } from '../../../git/git.repository.ts';
import type { Question } from '../../../git/readers/question.ts';
import { Serialized } from '../../../http/http.send.ts';
import { presentCommit } from './commits.views.ts';

interface CommitJson {
  bytes: Uint8Array;
  etag: string;
}

/**
 * The JSON of one commit, made where it is read.
 * @param shown what is shown after its own fields
 * @returns null where there is no such commit
 */
async function readCommitJson(
  repo: Repository,
  oid: string,
  webUrl: string,
  shown: Readonly<Record<string, unknown>>,
): Promise<CommitJson | null> {
  const commit = await repo.objects.commit(oid);
  if (commit === null) return null;
  const { body, etag } = Serialized.of({ ...presentCommit(commit, webUrl, true), ...shown });
  return { bytes: body, etag };
}

/** One commit as the API shows it. Serves single commits (part 1, section 2). */
export const COMMIT_JSON = { name: 'commit', find: readCommitJson } as const satisfies Question;
