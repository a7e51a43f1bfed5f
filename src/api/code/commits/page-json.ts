import type { LogQuery } from '../../../git/log.ts';
import { readLogPage } from '../../../git/readers/log-page.ts';
import type { Question } from '../../../git/readers/question.ts';
import type { Repository } from '../../../git/repository.ts';
import { Serialized } from '../../../http/send.ts';
import { presentCommit } from './views.ts';

interface PageJson {
  /** JSON of the commits. */
  bytes: Uint8Array;
  etag: string;
  /** Whether there are others after these. */
  more: boolean;
}

/** A copy of some kilobytes is dearer as commits than as their JSON, so that is made where they are read. */
async function readPageJson(repo: Repository, query: LogQuery, webUrl: string, trailers: boolean): Promise<PageJson> {
  const { commits, more } = await readLogPage(repo, query);
  const { body, etag } = Serialized.of(commits.map((commit) => presentCommit(commit, webUrl, trailers)));
  return { bytes: body, etag, more };
}

/** One page of a history as the API shows it. Serves lists of commits (part 1, section 4.2). */
export const COMMIT_PAGE = { name: 'commit page', find: readPageJson } as const satisfies Question;
