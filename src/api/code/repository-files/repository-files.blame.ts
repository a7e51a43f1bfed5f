import { badRequest, notFound } from '../../../core/core.errors.ts';
import type { Deps } from '../../../deps.ts';
import { GitError } from '../../../git/common/index.ts';
import { type Blame, blame, lastCommitOf } from '../../../git/history/index.ts';
import type { Commit } from '../../../git/objects/index.ts';
import type { Serialized } from '../../../http/http.send.ts';
import { serializeInChunks } from '../../../http/json-chunks.ts';
import { commitDate } from '../commits/commits.views.ts';
import { type FileLocation, fileAt } from './repository-files.files.ts';

/** Maximum bytes of a response; clients can request a range of lines. */
const MAX_ANSWER = 128 * 1024 * 1024;
const LINES_AT_ONCE = 1_000;

export interface LineRange {
  start: number;
  end: number;
}

/**
 * Returns the blame of a file (part 1, section 4.1). Cached by the last commit that changed the file.
 * @throws ApiError 400, 404; GitError `output_too_large`, and as `blame`
 */
export async function blameFile(deps: Deps, location: FileLocation, range: LineRange | undefined): Promise<Serialized> {
  if (range !== undefined && range.start > range.end) {
    throw badRequest('range[start] must be less than or equal to range[end]');
  }
  const lines = range === undefined ? '' : `${range.start},${range.end}`;
  const last = await lastCommitOf(location.repo, location.commit, location.path);
  if (last === null) throw notFound('File');
  return deps.immutableResponses.get(`blame:${location.repo.id}:${last}:${lines}:${location.path}`, async () => {
    const file = await fileAt(location);
    const { ranges, commits } = await blame(file.repo, file.commit, file.path, range);
    const json = await serializeInChunks(jsonOf(ranges, commits), MAX_ANSWER);
    if (json === null) throw new GitError('output_too_large', 'the blame has too many bytes');
    return json;
  });
}

/** Renders the response in parts, since a commit is repeated for each of its ranges. */
function* jsonOf(ranges: Blame['ranges'], commits: Blame['commits']): Generator<string> {
  const texts = new Map<string, string>();
  yield '[';
  for (const [at, { oid, lines }] of ranges.entries()) {
    const text = texts.get(oid) ?? JSON.stringify(commitOf(commits.get(oid)!));
    texts.set(oid, text);
    yield `${at === 0 ? '' : ','}{"commit":${text},"lines":[`;
    for (let from = 0; from < lines.length; from += LINES_AT_ONCE) {
      yield `${from === 0 ? '' : ','}${JSON.stringify(lines.slice(from, from + LINES_AT_ONCE)).slice(1, -1)}`;
    }
    yield ']}';
  }
  yield ']';
}

const commitOf = (commit: Commit) => ({
  id: commit.oid,
  parent_ids: [...commit.parents],
  message: commit.message,
  authored_date: commitDate(commit.author),
  author_name: commit.author.name,
  author_email: commit.author.email,
  committed_date: commitDate(commit.committer),
  committer_name: commit.committer.name,
  committer_email: commit.committer.email,
});
