/** First parts of addresses that the server itself uses, so that no user or group can have them. */
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

/** Parts that follow the path of a group or project in addresses. */
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
/** Groups that may stand above a group. */
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

/** What is wrong with the path of a group, one segment of it; empty when nothing is. */
export const groupPathErrors = (path: string, place: { topLevel: boolean }): string[] =>
  pathErrors(path, place.topLevel ? RESERVED_AT_TOP : RESERVED_BELOW);

/** What is wrong with the path of a project, its last segment; empty when nothing is. */
export const projectPathErrors = (path: string): string[] => pathErrors(path, RESERVED_BELOW);

/** What is wrong with a user name, which is the path of the user's namespace too; empty when nothing is. */
export const usernameErrors = (username: string): string[] => pathErrors(username, RESERVED_AT_TOP, 2);

/** A letter, digit, emoji or underscore. */
const NAME_START = '[\\p{L}\\p{N}\\p{Extended_Pictographic}\\p{Regional_Indicator}_]';
/** Those, and what composes them: marks, skin tones, joiners and the choice of the coloured form. */
const NAME_REST =
  '\\p{L}\\p{M}\\p{N}\\p{Extended_Pictographic}\\p{Emoji_Modifier}\\p{Regional_Indicator}\\u200d\\ufe0f_.';
const GROUP_NAME = new RegExp(`^${NAME_START}[${NAME_REST}() -]*$`, 'u');
const PROJECT_NAME = new RegExp(`^${NAME_START}[${NAME_REST}+ -]*$`, 'u');

/** What is wrong with the name of a group; empty when nothing is. */
export function groupNameErrors(name: string): string[] {
  const errors = lengthErrors(name);
  return errors.length > 0 || GROUP_NAME.test(name) ? errors : [GROUP_NAME_TEXT];
}

/** What is wrong with the name of a project; empty when nothing is. */
export function projectNameErrors(name: string): string[] {
  const errors = lengthErrors(name);
  return errors.length > 0 || PROJECT_NAME.test(name) ? errors : [PROJECT_NAME_TEXT];
}
