/** Default flags of integrations. */
export const FLAG_DEFAULTS = {
  commit_events: true,
  push_events: true,
  issues_events: true,
  incident_events: false,
  alert_events: false,
  confidential_issues_events: true,
  merge_requests_events: true,
  tag_push_events: true,
  deployment_events: false,
  note_events: true,
  confidential_note_events: true,
  pipeline_events: false,
  wiki_page_events: true,
  job_events: false,
  comment_on_event_enabled: true,
  vulnerability_events: false,
} as const satisfies Record<string, boolean>;
export type ShownFlag = keyof typeof FLAG_DEFAULTS;
export const SHOWN_FLAGS = Object.keys(FLAG_DEFAULTS) as readonly ShownFlag[];

/** Flags that are accepted but never shown. */
const HIDDEN_FLAGS = [
  'work_item_events',
  'confidential_work_item_events',
  'subgroup_events',
  'project_events',
  'build_events',
] as const;
export type Flag = ShownFlag | (typeof HIDDEN_FLAGS)[number];
export const FLAGS: readonly Flag[] = [...SHOWN_FLAGS, ...HIDDEN_FLAGS];

/** Stored flags. */
export type FlagValues = Partial<Record<Flag, boolean>>;

/** The effective value of a flag. @param stored stored flags */
export const flagValue = (stored: FlagValues, flag: Flag): boolean =>
  stored[flag] ?? (FLAG_DEFAULTS as Readonly<Record<string, boolean>>)[flag] ?? false;
