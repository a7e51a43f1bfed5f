/** Versions reported by the server: of the API, as clients compare it, and its own. */
export const VERSION = {
  api: '18.9.0-ee',
  revision: 'stithy',
  stithy: '0.1.0',
} as const;
