import { parse } from 'csv-parse/sync';
import { refused } from '../../../core/core.errors.ts';
import { csvRow } from '../../../core/csv.ts';
import type { ImportSourceUser } from '../../../db/tables/import-source-users.table.ts';

/** Columns of the CSV file (part 2, 4.11). */
export const COLUMNS = [
  'Source host',
  'Import type',
  'Source user identifier',
  'Source user name',
  'Source username',
  'Platform username',
  'Platform public email',
] as const;
const MAX_ROWS = 20_000;

/** A row of an uploaded CSV file: a source user and their assignee. */
export interface CsvRow {
  host: string;
  importType: string;
  identifier: string;
  username: string;
  email: string;
  /** All cells, unchanged. */
  cells: string[];
}

/** Renders the row of a source user awaiting reassignment. */
export const csvRowOf = (row: ImportSourceUser): string =>
  csvRow([
    row.source_hostname,
    row.import_type,
    row.source_user_identifier,
    row.source_name ?? '',
    row.source_username ?? '',
    '',
    '',
  ]);

/** Renders the failed rows as CSV, with their reasons. */
export const failureCsv = (failures: readonly { row: CsvRow; error: string }[]): string =>
  [csvRow([...COLUMNS, 'error']), ...failures.map(({ row, error }) => csvRow([...row.cells, error]))].join('');

const preventing = (problems: readonly string[]) =>
  refused(`The following errors are preventing the sheet from being processed: ${problems.join(' ')}`, 422);
const MALFORMED = 'The provided CSV was not correctly formatted.';
const DUPLICATES = 'The provided spreadsheet contains duplicate email addresses or usernames.';

function cellsOf(text: string): string[][] {
  try {
    return parse(text, { bom: true, trim: true, skip_empty_lines: true, relax_column_count: false });
  } catch {
    throw preventing([MALFORMED]);
  }
}

const hasDuplicates = (values: readonly string[]): boolean => {
  const object = values.filter((value) => value !== '').map((value) => value.toLowerCase());
  return new Set(object).size < object.length;
};

/**
 * Parses an uploaded CSV file. Accepts the platform's original names of the last two columns as well.
 * @throws ApiError 422 for an invalid file, or duplicate users
 */
export function parseReassignmentCsv(text: string): CsvRow[] {
  const [header = [], ...lines] = cellsOf(text);
  const names = header.map((name) => name.toLowerCase().replace(/^gitlab /, 'platform '));
  const at = (column: (typeof COLUMNS)[number]) => names.indexOf(column.toLowerCase());
  const required = [
    'Source host',
    'Import type',
    'Source user identifier',
    'Platform username',
    'Platform public email',
  ] as const;
  if (required.some((column) => at(column) === -1) || lines.length > MAX_ROWS) throw preventing([MALFORMED]);
  const rows = lines.map((cells) => {
    const cell = (column: (typeof COLUMNS)[number]) => cells[at(column)] ?? '';
    return {
      host: cell('Source host'),
      importType: cell('Import type'),
      identifier: cell('Source user identifier'),
      // A leading apostrophe keeps spreadsheet programs from evaluating values that begin with @.
      username: cell('Platform username').replace(/^'?@/, ''),
      email: cell('Platform public email'),
      cells: COLUMNS.map((column) => cell(column)),
    };
  });
  const twice = hasDuplicates(rows.map(({ username }) => username)) || hasDuplicates(rows.map(({ email }) => email));
  if (twice) throw preventing([DUPLICATES]);
  return rows;
}
