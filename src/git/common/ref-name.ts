/** Control characters, space and the operators of git's revision syntax. */
const FORBIDDEN = /[\0-\x20\x7f~^:?*[\\]|\.\.|@\{|\/\/|\/\.|\.lock(?:\/|$)/;
const MAX_LENGTH = 1_024;
const LOOKS_LIKE_OID = /^(?:[0-9a-f]{40}|[0-9a-f]{64})(?:$|[/-])/i;

/**
 * Whether a full name below `refs/` is well-formed by the rules of `git check-ref-format`, and short enough to store.
 * @param name e.g. `refs/heads/main`
 */
export function isValidRefName(name: string): boolean {
  if (!name.startsWith('refs/') || name.length > MAX_LENGTH || name.endsWith('/') || name.endsWith('.')) return false;
  return !FORBIDDEN.test(name) && name.length > 5 && hasShortComponents(name);
}

/** A component becomes a file name, to which git appends `.lock`. */
function hasShortComponents(name: string): boolean {
  return name.length <= 240 || name.split('/').every((part) => Buffer.byteLength(part) <= 250);
}

/**
 * Whether a branch or tag may have this name: well-formed, and not mistakable for an option, `HEAD`, a full reference
 * or an object id.
 * @param name without `refs/heads/`
 */
export function isValidBranchName(name: string): boolean {
  if (name.startsWith('-') || name === 'HEAD' || name === '@' || name.startsWith('refs/')) return false;
  return !LOOKS_LIKE_OID.test(name) && isValidRefName(`refs/heads/${name}`);
}
