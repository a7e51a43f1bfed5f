import type { TreeMap } from '../config/loaded.ts';
import { BOOLEAN, isMap, isString, STRING, STRINGS_OR_STRING } from './checks.keyword.ts';
import { own } from './config-node.ts';
import { checked, eachOf, entry, exactlyOne, field, keys, type Reader, requiredKeys } from './reader.ts';

const idToken: Reader<{ aud: string[] }> = entry(
  [requiredKeys('aud'), keys('aud'), field('aud', STRINGS_OR_STRING)],
  (value) => {
    const aud = own(value, 'aud');
    return { aud: isString(aud) ? [aud] : ((aud as string[] | null) ?? []) };
  },
);

/** `id_tokens`: signed identity tokens of the job, by variable name. */
export const idTokens: Reader<Record<string, { aud: string[] }>> = (value, at) => {
  const entries = eachOf(idToken)(value, at);
  return entries && Object.fromEntries(entries);
};

const PROVIDERS = [
  'vault',
  'azure_key_vault',
  'gcp_secret_manager',
  'aws_secrets_manager',
  'gitlab_secrets_manager',
  'akeyless',
];

const secret: Reader<TreeMap> = entry(
  [
    keys(...PROVIDERS, 'file', 'token'),
    exactlyOne(...PROVIDERS),
    field('file', BOOLEAN),
    field('token', STRING),
    ...PROVIDERS.map((provider) =>
      field(provider, (value) => (isMap(value) || isString(value) ? null : 'should be a hash or a string')),
    ),
  ],
  (value) => value,
);

/** `secrets`: values fetched by the runner from a secret store, by variable name; stored as written. */
export const secrets: Reader<TreeMap> = (value, at) => {
  const entries = eachOf(secret)(value, at);
  return entries && Object.fromEntries(entries);
};

/** `identity`: cloud provider of the job's identity. */
export const identity: Reader<string> = checked<string>((value) =>
  value === 'google_cloud' ? null : 'should be one of: google_cloud',
);

/** `dast_configuration`: names of profiles. */
export const dastConfiguration: Reader<TreeMap> = entry(
  [keys('site_profile', 'scanner_profile'), field('site_profile', STRING), field('scanner_profile', STRING)],
  (value) => value,
);
