/** What a reading thread runs. Everybody else imports it for its address alone. */
import { FILE_AT } from '../../git/readers/file-at.ts';
import { COMMITS } from '../../git/readers/log-page.ts';
import { MERGED_INTO } from '../../git/readers/merged-into.ts';
import { serveQuestions } from '../../git/readers/readers.serve.ts';
import { COMMIT_JSON } from './commits/detail-json.ts';
import { DIFF_PAGE } from './commits/diff-page.ts';
import { COMMIT_PAGE } from './commits/page-json.ts';
import { FOLDER_PAGE } from './repositories/folder-page.ts';

/** Where the program of reading threads is, and what they are told to be. */
export const readerThread = { address: import.meta.url, name: 'stithy-reader' } as const;

/** What leaves the process next to nothing to do. */
const LIGHT: ReadonlySet<string> = new Set([COMMIT_JSON.name, FOLDER_PAGE.name]);
const MAX_SHARED = 6;

/**
 * How many answers a thread may owe when it is asked such a question where it has no processor for itself: what it could not begin
 * with soon this process does meanwhile.
 */
export const maxSharedBytes = (name: string): number => (LIGHT.has(name) ? Number.POSITIVE_INFINITY : MAX_SHARED);

serveQuestions(readerThread.name, [FILE_AT, FOLDER_PAGE, COMMITS, MERGED_INTO, COMMIT_PAGE, COMMIT_JSON, DIFF_PAGE]);
