/** What a reading thread runs. Everybody else imports it for its address alone. */
import { FILE_AT } from '../../git/readers/file-at.ts';
import { FOLDER_AT } from '../../git/readers/folder-at.ts';
import { COMMITS } from '../../git/readers/log-page.ts';
import { MERGED_INTO } from '../../git/readers/merged-into.ts';
import { serveQuestions } from '../../git/readers/serve.ts';
import { COMMIT_JSON } from './commits/detail-json.ts';
import { COMMIT_PAGE } from './commits/page-json.ts';

/** Where the program of reading threads is, and what they are told to be. */
export const readingThread = { address: import.meta.url, name: 'stithy-reader' } as const;

/** What is asked of a thread also where it has no processor for itself: any other question costs more then than it spares. */
export const readApart: ReadonlySet<string> = new Set([COMMIT_JSON.name, FOLDER_AT.name]);

serveQuestions(readingThread.name, [FILE_AT, FOLDER_AT, COMMITS, MERGED_INTO, COMMIT_PAGE, COMMIT_JSON]);
