import { matchesWildcard } from '../../core/wildcard.ts';
import { asciiLower } from '../../db/like.ts';

/** What is searched for in files. */
export interface CodeQuery {
  /** A literal text; empty if only paths are asked for. */
  term: string;
  /** Whether there is anything to search for. */
  isEmpty: boolean;
  /** Whether the filters allow this path. */
  allows(path: string): boolean;
  /** Whether the path matches the text. */
  isIn(path: string): boolean;
}

/** Filters that are longer, or more, are taken as text: each is compared with every path. */
const FILTER = /(?<=^|\s)(-?)(filename|path|extension):("[^"]{1,100}"|\S{1,100})(?:\s+|$)/gi;
const MAX_FILTERS = 5;

/** Patterns of the filters for the whole path, in lower case. */
const PATTERNS: Readonly<Record<string, (value: string) => string>> = {
  filename: (value) => `*${value}`,
  path: (value) => `*${value}*`,
  extension: (value) => `*.${value}`,
};

/** Reads a search for files: a literal text and filters, as `readme filename:*.md -path:vendor/`. */
export function readCodeQuery(search: string): CodeQuery {
  const filters: { excludes: boolean; pattern: string }[] = [];
  const term = search
    .replace(FILTER, (whole, minus: string, name: string, value: string) => {
      if (filters.length === MAX_FILTERS) return whole;
      const pattern = PATTERNS[name.toLowerCase()]!(asciiLower(value.replace(/^"(.*)"$/, '$1')));
      filters.push({ excludes: minus !== '', pattern });
      return '';
    })
    .trim();
  const lowerTerm = asciiLower(term);
  return {
    term,
    isEmpty: term === '' && filters.length === 0,
    allows: (path) => {
      if (filters.length === 0) return true;
      const lower = asciiLower(path);
      return filters.every(({ excludes, pattern }) => matchesWildcard(pattern, lower) !== excludes);
    },
    isIn: (path) => asciiLower(path).includes(lowerTerm),
  };
}
