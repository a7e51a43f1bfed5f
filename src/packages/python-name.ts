/** A name as Python's tools compare names (PEP 503): in small letters, with one hyphen for each run of `-`, `_` and `.`. */
export const pythonName = (name: string): string => name.replace(/[-_.]+/g, '-').toLowerCase();
