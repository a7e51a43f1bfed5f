/*
 * Push options that ask for a merge request:
 *
 *   option = ( "merge_request" / "mr" ) "." key [ "=" value ]
 *
 * An option without a value is a yes. `label`, `unlabel`, `assign` and `unassign` may be given several times; of the
 * others the last one counts.
 */

const FLAGS = ['create', 'draft', 'remove_source_branch', 'squash', 'auto_merge'] as const;
const TEXTS = ['target', 'target_project', 'title', 'description', 'milestone'] as const;
const LISTS = ['label', 'unlabel', 'assign', 'unassign'] as const;
/** Old names of options. */
const ALIASES: Readonly<Record<string, string>> = { merge_when_pipeline_succeeds: 'auto_merge' };
const NO = new Set(['false', '0', 'no', 'off', 'f']);
const MAX_LIST = 200;

type Flag = (typeof FLAGS)[number];
type Text = (typeof TEXTS)[number];
type Listed = (typeof LISTS)[number];

/** What the options of a push ask of a merge request; what was not said is not there, and lists are empty. */
export interface MergeRequestOptions {
  flags: Partial<Record<Flag, boolean>>;
  texts: Partial<Record<Text, string>>;
  lists: Record<Listed, string[]>;
  /** Options that mean nothing, as they were given. */
  unknown: string[];
}

const isOneOf = <T extends string>(all: readonly T[], key: string): key is T =>
  (all as readonly string[]).includes(key);

/** Reads the options of a push. @returns null where none is about merge requests */
export function parseMergeRequestOptions(given: readonly string[]): MergeRequestOptions | null {
  const options: MergeRequestOptions = {
    flags: {},
    texts: {},
    lists: { label: [], unlabel: [], assign: [], unassign: [] },
    unknown: [],
  };
  let any = false;
  for (const option of given) {
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
  // A push option has one line: `\n` stands for the end of one.
  const { description } = options.texts;
  if (description !== undefined) options.texts.description = description.replaceAll('\\n', '\n');
  return any ? options : null;
}
