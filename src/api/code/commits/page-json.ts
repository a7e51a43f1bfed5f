import { statsOf } from '../../../git/diff/index.ts';
import { type LogQuery, readLogPage } from '../../../git/history/index.ts';
import type { Question, Repository } from '../../../git/repository/index.ts';
import { Serialized } from '../../../http/http.send.ts';
import { presentCommit, presentStats } from './commits.views.ts';

interface PageJson {
  /** Commits as JSON. */
  bytes: Uint8Array;
  etag: string;
  /** Whether there are further commits. */
  more: boolean;
}

/**
 * Renders JSON in the thread that reads the commits: copying commits between threads costs more than copying their
 * JSON.
 */
async function readPageJson(
  repo: Repository,
  query: LogQuery,
  webUrl: string,
  trailers: boolean,
  withStats = false,
): Promise<PageJson> {
  const { commits, more } = await readLogPage(repo, query);
  const oids = commits.map(({ oid }) => oid);
  const stats = withStats ? await statsOf(repo, oids) : null;
  const shown = commits.map((commit) => {
    const fields = presentCommit(commit, webUrl, trailers);
    return stats === null ? fields : { ...fields, stats: presentStats(stats.get(commit.oid)!) };
  });
  const { body, etag } = Serialized.of(shown);
  return { bytes: body, etag, more };
}

/** Renders pages of lists of commits (part 1, section 4.2). */
export const COMMIT_PAGE = { name: 'commit page', find: readPageJson } as const satisfies Question;
