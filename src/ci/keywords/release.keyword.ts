import type { Tree, TreeMap } from '../config/loaded.ts';
import type { Release } from '../pipeline-config.ts';
import { isBlank, isString, MAPS, must, STRING, STRINGS_OR_STRING } from './checks.keyword.ts';
import { own } from './config-node.ts';
import { entry, field, keys, type Reader, type Rule, readEach, required } from './reader.ts';

const DATE_TIME = /^\d{4}-\d{2}-\d{2}(T\d{2}(:?\d{2}(:?\d{2}([.,]\d+)?)?)?(Z|[+-]\d{2}(:?\d{2})?)?)?$/i;
const isDateTime = (value: Tree) =>
  isString(value) && DATE_TIME.test(value) && !Number.isNaN(Date.parse(value.slice(0, 10)));

/** A valid git name of a branch, tag or commit. */
const isRef = (value: Tree) =>
  isString(value) &&
  !/[\x00-\x20\x7f~^:?*[\\]|\.\.|@\{|\/\/|\.lock(\/|$)|(^|\/)\./.test(value) &&
  !/^[-/]|[/.]$|^@?$/.test(value);

const LINK_TYPES = ['other', 'runbook', 'image', 'package'];
const isUrl = (value: Tree) => isString(value) && /^(https?|ftp):\/\/[^\s/]/.test(value);

type Link = Release['links'][number];

const link: Reader<Link> = entry(
  [
    keys('name', 'url', 'filepath', 'link_type'),
    required('name', STRING),
    required('url'),
    field(
      'url',
      must(
        (value) => isUrl(value) || (isString(value) && value.includes('$')),
        'is blocked: Only allowed schemes are http, https, ftp',
      ),
    ),
    field('filepath', STRING),
    field(
      'link_type',
      must(
        (value) => isString(value) && (LINK_TYPES.includes(value) || value.includes('$')),
        'is not included in the list',
      ),
    ),
  ],
  (value) => ({
    name: own(value, 'name') as string,
    url: own(value, 'url') as string,
    ...(own(value, 'link_type') === null ? {} : { link_type: own(value, 'link_type') as string }),
    ...(own(value, 'filepath') === null ? {} : { filepath: own(value, 'filepath') as string }),
  }),
);

const assets: Reader<Link[]> = entry([keys('links'), field('links', MAPS)], (value, at) =>
  readEach((own(value, 'links') as TreeMap[] | null) ?? [], link, at.child('links').child('link')),
);

/** A field that must not be empty if present. */
const filled =
  (key: string, ...checks: Parameters<typeof field>[1][]): Rule =>
  (value, at) => {
    if (!isBlank(own(value as TreeMap, key))) field(key, ...checks)(value, at);
  };

/** `release`. */
export const release: Reader<Release> = entry(
  [
    keys('tag_name', 'tag_message', 'name', 'description', 'ref', 'released_at', 'milestones', 'assets'),
    required('tag_name', STRING),
    filled('tag_message', STRING),
    required('description', STRING),
    filled('name', STRING),
    filled('milestones', STRINGS_OR_STRING),
    filled('released_at', must(isDateTime, 'must be a valid datetime')),
    filled(
      'ref',
      must((value) => isRef(value) || (isString(value) && value.includes('$')), 'must be a valid ref'),
    ),
  ],
  (value, at) => {
    const text = (key: string) => own(value, key) as string | null;
    const milestones = own(value, 'milestones');
    return {
      tag_name: text('tag_name')!,
      description: text('description')!,
      tag_message: text('tag_message'),
      name: text('name'),
      ref: text('ref'),
      milestones: isString(milestones) ? [milestones] : ((milestones as string[] | null) ?? []),
      released_at: text('released_at'),
      links: at.read(value, 'assets', assets) ?? [],
    };
  },
);
