/** First path segments used by the server itself, which no user or group may have. */
const RESERVED_AT_TOP = new Set([
  '-',
  '.well-known',
  '404.html',
  '422.html',
  '500.html',
  '502.html',
  '503.html',
  'admin',
  'api',
  'apple-touch-icon.png',
  'assets',
  'dashboard',
  'deploy.html',
  'explore',
  'favicon.ico',
  'favicon.png',
  'files',
  'groups',
  'health_check',
  'help',
  'import',
  'jwt',
  'login',
  'oauth',
  'profile',
  'projects',
  'public',
  'robots.txt',
  's',
  'search',
  'sitemap',
  'sitemap.xml',
  'sitemap.xml.gz',
  'slash-command-logo.png',
  'snippets',
  'unsubscribe',
  'uploads',
  'users',
  'v2',
]);

/** Path segments used below the path of a group or project. */
const RESERVED_BELOW = new Set([
  '-',
  'badges',
  'blame',
  'blob',
  'builds',
  'commits',
  'create',
  'create_dir',
  'edit',
  'files',
  'find_file',
  'new',
  'preview',
  'raw',
  'refs',
  'tree',
  'update',
  'wikis',
]);

const MAX_LENGTH = 255;
/** Maximum number of ancestors of a group. */
export const MAX_ANCESTORS = 20;

const PATH_TEXT =
  "can contain only letters, digits, '_', '-' and '.'. Cannot start with '-' or end in '.', '.git' or '.atom'";
const GROUP_NAME_TEXT =
  "can contain only letters, digits, emojis, '_', '.', dash, space, parenthesis. It must start with letter, digit, emoji or '_'.";
const PROJECT_NAME_TEXT =
  "can contain only letters, digits, emojis, '_', '.', '+', dashes, or spaces. It must start with a letter, digit, emoji, or '_'.";

const wellFormed = (path: string): boolean =>
  /^[a-zA-Z0-9_.][a-zA-Z0-9_.-]*$/.test(path) && !/(\.|\.git|\.atom)$/i.test(path);

function lengthErrors(value: string, minimum = 1): string[] {
  if (value.trim() === '') return ["can't be blank"];
  if (value.length < minimum) return [`is too short (minimum is ${minimum} characters)`];
  return value.length > MAX_LENGTH ? [`is too long (maximum is ${MAX_LENGTH} characters)`] : [];
}

function pathErrors(path: string, reserved: ReadonlySet<string>, minimum = 1): string[] {
  const errors = lengthErrors(path, minimum);
  if (errors.length > 0) return errors;
  if (reserved.has(path.toLowerCase())) return [`${path} is a reserved name`];
  return wellFormed(path) ? [] : [PATH_TEXT];
}

/** Errors of a group path (one segment); empty if it is valid. */
export const groupPathErrors = (path: string, place: { topLevel: boolean }): string[] =>
  pathErrors(path, place.topLevel ? RESERVED_AT_TOP : RESERVED_BELOW);

/** Errors of a project path (the last segment); empty if it is valid. */
export const projectPathErrors = (path: string): string[] => pathErrors(path, RESERVED_BELOW);

/** Errors of a username, which is also the path of the user's namespace; empty if it is valid. */
export const usernameErrors = (username: string): string[] => pathErrors(username, RESERVED_AT_TOP, 2);

/** A letter, digit, emoji or underscore. */
const NAME_START = '[\\p{L}\\p{N}\\p{Extended_Pictographic}\\p{Regional_Indicator}_]';
/** The same characters, and those that compose them: marks, skin tones, joiners and emoji presentation. */
const NAME_REST =
  '\\p{L}\\p{M}\\p{N}\\p{Extended_Pictographic}\\p{Emoji_Modifier}\\p{Regional_Indicator}\\u200d\\ufe0f_.';
const GROUP_NAME = new RegExp(`^${NAME_START}[${NAME_REST}() -]*$`, 'u');
const PROJECT_NAME = new RegExp(`^${NAME_START}[${NAME_REST}+ -]*$`, 'u');

/** Errors of a group name; empty if it is valid. */
export function groupNameErrors(name: string): string[] {
  const errors = lengthErrors(name);
  return errors.length > 0 || GROUP_NAME.test(name) ? errors : [GROUP_NAME_TEXT];
}

/** Errors of a project name; empty if it is valid. */
export function projectNameErrors(name: string): string[] {
  const errors = lengthErrors(name);
  return errors.length > 0 || PROJECT_NAME.test(name) ? errors : [PROJECT_NAME_TEXT];
}

/** A path of branches, files and so on as part of an address: its slashes stay. */
export const encodePath = (path: string): string => path.toWellFormed().split('/').map(encodeURIComponent).join('/');
