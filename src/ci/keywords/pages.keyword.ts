import { EXPIRY, isBoolean, isMap, STRING } from './checks.keyword.ts';
import { own } from './config-node.ts';
import { entry, field, keys, type Reader } from './reader.ts';

export interface PagesConfig {
  publish: string | null;
  pathPrefix: string | null;
  expireIn: string | null;
}

const detailed: Reader<PagesConfig> = entry(
  [
    keys('path_prefix', 'expire_in', 'publish'),
    field('path_prefix', STRING),
    field('expire_in', EXPIRY),
    field('publish', STRING),
  ],
  (value) => ({
    publish: own(value, 'publish') as string | null,
    pathPrefix: own(value, 'path_prefix') as string | null,
    expireIn: own(value, 'expire_in') as string | null,
  }),
);

/** `pages`: whether and how a job publishes a site; false for not at all. */
export const pages: Reader<PagesConfig | false> = (value, at) => {
  if (isBoolean(value)) return value && { publish: null, pathPrefix: null, expireIn: null };
  return isMap(value) ? detailed(value, at) : at.config('should be a hash or a boolean value');
};
