/** Program of reader threads. Other modules import it only for its URL. */
import { COMMITS, FILE_AT, MERGED_INTO } from '../../git/history/index.ts';
import { serveQuestions } from '../../git/repository/index.ts';
import { COMMIT_JSON } from './commits/detail-json.ts';
import { DIFF_PAGE } from './commits/diff-page.ts';
import { COMMIT_PAGE } from './commits/page-json.ts';
import { FOLDER_PAGE } from './repositories/folder-page.ts';

/** Location and name of the program of reader threads. */
export const readerThread = { address: import.meta.url, name: 'stithy-reader' } as const;

/** Reads that leave next to no work to this process. */
const LIGHT: ReadonlySet<string> = new Set([COMMIT_JSON.name, FOLDER_PAGE.name]);
const MAX_SHARED = 6;

/**
 * Maximum number of pending answers of a thread that shares its processor. This process handles reads that such a
 * thread could not start soon.
 */
export const maxPendingReads = (name: string): number => (LIGHT.has(name) ? Number.POSITIVE_INFINITY : MAX_SHARED);

serveQuestions(readerThread.name, [FILE_AT, FOLDER_PAGE, COMMITS, MERGED_INTO, COMMIT_PAGE, COMMIT_JSON, DIFF_PAGE]);
