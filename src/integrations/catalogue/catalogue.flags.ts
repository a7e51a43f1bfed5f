/** A flag of integrations. Those without default are accepted but never shown. */
type FlagRow = readonly [description: string, byDefault?: boolean];

const rows = {
  commit_events: ['Whether to comment on issues that are mentioned in commits.', true],
  push_events: ['Whether the integration is triggered by pushes to branches.', true],
  issues_events: ['Whether the integration is triggered by issues.', true],
  incident_events: ['Whether the integration is triggered by incidents.', false],
  alert_events: ['Stored, but has no effect: the server has no alerts.', false],
  confidential_issues_events: ['Whether the integration is triggered by confidential issues.', true],
  merge_requests_events: ['Whether the integration is triggered by merge requests.', true],
  tag_push_events: ['Whether the integration is triggered by tags being created or deleted.', true],
  deployment_events: ['Whether the integration is triggered by deployments.', false],
  note_events: ['Whether the integration is triggered by comments.', true],
  confidential_note_events: [
    'Whether the integration is triggered by internal comments and comments on confidential issues.',
    true,
  ],
  pipeline_events: ['Whether the integration is triggered by pipelines.', false],
  wiki_page_events: ['Whether the integration is triggered by wiki pages.', true],
  job_events: ['Whether the integration is triggered by jobs.', false],
  comment_on_event_enabled: ['Whether to comment on mentioned issues.', true],
  vulnerability_events: ['Stored, but has no effect: the server has no vulnerabilities.', false],
  work_item_events: ['Whether the integration is triggered by work items; same as `issues_events`.'],
  confidential_work_item_events: [
    'Whether the integration is triggered by confidential work items; same as `confidential_issues_events`.',
  ],
  subgroup_events: ['Whether the integration is triggered by subgroups being created or removed.'],
  project_events: ['Whether the integration is triggered by projects being created or removed.'],
  build_events: ['Deprecated: use `job_events`.'],
} as const satisfies Record<string, FlagRow>;
export type Flag = keyof typeof rows;

/** Flags of integrations, in the order of answers. */
export const FLAGS: Readonly<Record<Flag, FlagRow>> = rows;
export const FLAG_NAMES = Object.keys(rows) as readonly Flag[];
export const SHOWN_FLAGS = FLAG_NAMES.filter((flag) => FLAGS[flag][1] !== undefined);

/** The flag that an input is stored as: one has an older name. */
export const storedFlag = (flag: Flag): Flag => (flag === 'build_events' ? 'job_events' : flag);

/** Stored flags. */
export type FlagValues = Partial<Record<Flag, boolean>>;

/** The effective value of a flag. @param stored stored flags */
export const flagValue = (stored: FlagValues, flag: Flag): boolean => stored[flag] ?? FLAGS[flag][1] ?? false;
