/** Normalizes a name as in PEP 503: lower case, with one hyphen for each run of `-`, `_` and `.`. */
export const pythonName = (name: string): string => name.replace(/[-_.]+/g, '-').toLowerCase();
