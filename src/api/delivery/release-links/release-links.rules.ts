import type { FieldErrors } from '../../../core/core.errors.ts';
import type { ChangedLink } from './release-links.inputs.ts';

/** Maximum number of links per release, which bounds the size of pages of releases. */
export const MAX_LINKS = 500;
const MAX_NAME = 255;
const MAX_URL_BYTES = 2_048;
const MAX_FILEPATH = 128;
const SCHEMES = ['http:', 'https:', 'ftp:'];
const FILEPATH = /^\/[^/](?!.*\/\/.*)[-.\w/]+[\da-zA-Z]+$/;

/** Returns the path of a link under either of its names; undefined if absent, null if it is removed. */
export function filepathOf({ direct_asset_path, filepath }: ChangedLink): string | null | undefined {
  const input = direct_asset_path ?? filepath ?? (direct_asset_path === null ? null : filepath);
  return input === '' ? null : input;
}

/** Validates the given attributes of a link; returns errors by field. */
export function linkErrors(link: ChangedLink): FieldErrors {
  const errors: FieldErrors = {};
  const { name, url } = link;
  if (name !== undefined && name.trim() === '') errors.name = ["can't be blank"];
  if (name !== undefined && [...name].length > MAX_NAME) {
    errors.name = [`is too long (maximum is ${MAX_NAME} characters)`];
  }
  const wrong = url === undefined ? null : urlError(url);
  if (wrong !== null) errors.url = [wrong];
  const path = filepathOf(link);
  if (path != null && path.length > MAX_FILEPATH) {
    errors.filepath = [`is too long (maximum is ${MAX_FILEPATH} characters)`];
  } else if (path != null && !FILEPATH.test(path)) errors.filepath = ['is in an invalid format'];
  return errors;
}

/** Control characters and spaces, which browsers and headers would misinterpret. */
const UNPRINTABLE = /[\0-\x20\x7f]/;

function urlError(url: string): string | null {
  if (url.trim() === '') return "can't be blank";
  if (Buffer.byteLength(url) > MAX_URL_BYTES) return `is too long (maximum is ${MAX_URL_BYTES} bytes)`;
  const scheme = /^([a-z][a-z\d+.-]*):/i.exec(url)?.[1]?.toLowerCase();
  if (!SCHEMES.includes(`${scheme}:`)) return 'is blocked: Only allowed schemes are http, https, ftp';
  if (UNPRINTABLE.test(url) || !/^[a-z]+:\/\/[^/?#]/i.test(url) || !URL.canParse(url)) return 'must be a valid URL';
  return null;
}

/** Converts errors to sentences that begin with the field: `Name has already been taken`. */
export const sentencesOf = (errors: FieldErrors): string[] =>
  Object.entries(errors).flatMap(([field, texts]) => texts.map((text) => `${capital(field)} ${text}`));

const capital = (text: string): string => text.slice(0, 1).toUpperCase() + text.slice(1);
