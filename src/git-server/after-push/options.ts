/*
 * Push options that request a merge request:
 *
 * option = ( "merge_request" / "mr" ) "." key [ "=" value ]
 *
 * An option without a value is a flag set to true. `label`, `unlabel`, `assign` and `unassign` may be repeated; for the
 * others the last value wins.
 */

const FLAGS = ['create', 'draft', 'remove_source_branch', 'squash', 'auto_merge'] as const;
const TEXTS = ['target', 'target_project', 'title', 'description', 'milestone'] as const;
const LISTS = ['label', 'unlabel', 'assign', 'unassign'] as const;
/** Aliases of renamed options. */
const ALIASES: Readonly<Record<string, string>> = { merge_when_pipeline_succeeds: 'auto_merge' };
const NO = new Set(['false', '0', 'no', 'off', 'f']);
const MAX_LIST = 200;

type Flag = (typeof FLAGS)[number];
type Text = (typeof TEXTS)[number];
type Listed = (typeof LISTS)[number];

/** Merge request options of a push. Options that were not given are absent; lists are empty. */
export interface MergeRequestOptions {
  flags: Partial<Record<Flag, boolean>>;
  texts: Partial<Record<Text, string>>;
  lists: Record<Listed, string[]>;
  /** Unknown options, as given. */
  unknown: string[];
}

const isOneOf = <T extends string>(all: readonly T[], key: string): key is T =>
  (all as readonly string[]).includes(key);

/** Parses the options of a push. @returns null if none concerns merge requests */
export function parseMergeRequestOptions(pushOptions: readonly string[]): MergeRequestOptions | null {
  const options: MergeRequestOptions = {
    flags: {},
    texts: {},
    lists: { label: [], unlabel: [], assign: [], unassign: [] },
    unknown: [],
  };
  let any = false;
  for (const option of pushOptions) {
    const [, name, value] = /^\s*(?:merge_request|mr)\.([^=]+)(?:=(.*))?$/s.exec(option) ?? [];
    if (name === undefined) continue;
    any = true;
    const trimmed = name.trim();
    const key = Object.hasOwn(ALIASES, trimmed) ? ALIASES[trimmed]! : trimmed;
    const text = (value ?? '').trim();
    if (isOneOf(FLAGS, key)) options.flags[key] = !NO.has(text.toLowerCase());
    else if (text !== '' && isOneOf(TEXTS, key)) options.texts[key] = text;
    else if (text !== '' && isOneOf(LISTS, key)) {
      if (options.lists[key].length < MAX_LIST) options.lists[key].push(text);
    } else options.unknown.push(option);
  }
  // A push option has a single line, so `\n` encodes a line break.
  const { description } = options.texts;
  if (description !== undefined) options.texts.description = description.replaceAll('\\n', '\n');
  return any ? options : null;
}
