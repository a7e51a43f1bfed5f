import type { Static } from 'typebox';
import type { LicenceTemplate } from './file-templates.responses.ts';
import { LICENCE_FACTS } from './licence-facts.ts';

/** What is put in the places of a licence. */
export interface Blanks {
  /** Empty where it is not known. */
  year: string;
  project?: string | undefined;
  /** Name of the holder of the rights. */
  fullname?: string | undefined;
}

const YEAR = /[<[{](?:year|yyyy)[>\]}]/gi;
const PROJECT = /[<[{](?:project|program|description|one line [^>\]}\n]{1,80})[>\]}]/gi;
const FULLNAME =
  /[<[{](?:fullname|owner|copyright holders?|name of (?:author|copyright owner)|owner organization name)[>\]}]/gi;
/** Notices that name whoever first used the licence. */
const NOTICES: Readonly<Record<string, RegExp>> = {
  isc: /^Copyright \(c\) 2004-2010 .*\n(?:Copyright .*\n)?/m,
  '0bsd': /^Copyright \(C\) YEAR by AUTHOR EMAIL\n/m,
};
const NOTICE = 'Copyright (c) [year] [fullname]\n';

/** Keys of all licences, in order. @param popular only those that are shown first */
export const licenceKeys = (popular = false): string[] =>
  Object.keys(LICENCE_FACTS)
    .filter((key) => !popular || LICENCE_FACTS[key]!.popular === true)
    .sort();

/** A licence; undefined for an unknown key. Places without a value stay as they are. */
export async function licenceOf(key: string, blanks: Blanks): Promise<Static<typeof LicenceTemplate> | undefined> {
  const { LICENCE_TEXTS } = await import('./licence-texts.ts');
  const facts = Object.hasOwn(LICENCE_FACTS, key) ? LICENCE_FACTS[key] : undefined;
  if (facts === undefined) return undefined;
  const { name, url, licenseText } = LICENCE_TEXTS[key]!;
  const { nickname = null, popular = false, description, permissions, conditions, limitations } = facts;
  return {
    key,
    name: facts.name ?? name,
    nickname,
    featured: popular,
    popular,
    html_url: `https://choosealicense.com/licenses/${key}/`,
    source_url: url,
    description,
    conditions: [...conditions],
    permissions: [...permissions],
    limitations: [...limitations],
    content: filled(NOTICES[key] === undefined ? licenseText : licenseText.replace(NOTICES[key], NOTICE), blanks),
  };
}

/** Licences with empty places. @param keys of known ones */
export const licencesOf = async (keys: readonly string[]) =>
  (await Promise.all(keys.map((key) => licenceOf(key, { year: '' })))).map((licence) => licence!);

const filled = (text: string, { year, project, fullname }: Blanks): string => {
  const put = (into: string, place: RegExp, value: string | undefined) =>
    value === undefined || value === '' ? into : into.replace(place, () => value);
  return put(put(put(text, YEAR, year), PROJECT, project), FULLNAME, fullname);
};
