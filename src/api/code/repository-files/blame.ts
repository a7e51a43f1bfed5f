import { badRequest, notFound } from '../../../core/errors.ts';
import type { Deps } from '../../../deps.ts';
import { blame } from '../../../git/blame.ts';
import { lastCommitOf } from '../../../git/last-commit.ts';
import type { Serialized } from '../../../http/send.ts';
import { commitDate } from '../commits/views.ts';
import { type FilePlace, fileAt } from './files.ts';

export interface LineRange {
  start: number;
  end: number;
}

/**
 * Who changed which lines (part 1, section 4.1). Kept by the last commit that changed the file: since then nothing has.
 * @throws ApiError 400, 404
 */
export async function blameFile(deps: Deps, place: FilePlace, range: LineRange | undefined): Promise<Serialized> {
  if (range !== undefined && range.start > range.end) {
    throw badRequest('range[start] must be less than or equal to range[end]');
  }
  const lines = range === undefined ? '' : `${range.start},${range.end}`;
  const last = await lastCommitOf(place.repo, place.commit, place.path);
  if (last === null) throw notFound('File');
  return deps.answers.get(`blame:${place.repo.id}:${last}:${lines}:${place.path}`, async () => {
    const file = await fileAt(place);
    const { ranges, commits } = await blame(file.repo, file.commit, file.path, range);
    return ranges.map(({ oid, lines }) => {
      const commit = commits.get(oid)!;
      return {
        commit: {
          id: oid,
          parent_ids: [...commit.parents],
          message: commit.message,
          authored_date: commitDate(commit.author),
          author_name: commit.author.name,
          author_email: commit.author.email,
          committed_date: commitDate(commit.committer),
          committer_name: commit.committer.name,
          committer_email: commit.committer.email,
        },
        lines,
      };
    });
  });
}
