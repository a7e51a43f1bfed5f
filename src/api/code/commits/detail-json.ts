import type { Question, Repository } from '../../../git/repository/index.ts';
import { Serialized } from '../../../http/http.send.ts';
import { presentCommit } from './commits.views.ts';

interface CommitJson {
  bytes: Uint8Array;
  etag: string;
}

/**
 * Reads a commit and renders its JSON in the same thread.
 * @param shown what to show after the commit's own fields
 * @returns null for an unknown commit
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

/** Renders single commits (part 1, section 2). */
export const COMMIT_JSON = { name: 'commit', find: readCommitJson } as const satisfies Question;
