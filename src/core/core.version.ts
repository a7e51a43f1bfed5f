/** What the server says of itself: the version of the API it speaks, as clients compare it, and its own. */
export const VERSION = {
  api: '18.9.0-ee',
  revision: 'stithy',
  stithy: '0.1.0',
} as const;
