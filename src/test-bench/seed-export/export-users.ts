import { snippetsOf } from './export-projects.ts';
import { type Answer, compact, type ExportSource, flags, inTurn, listById, pick } from './export-source.ts';

const ATTRIBUTES = [
  'username',
  'name',
  'email',
  'bio',
  'location',
  'job_title',
  'organization',
  'pronouns',
  'website_url',
  'public_email',
  'linkedin',
  'twitter',
  'discord',
  'github',
  'skype',
  'note',
  'projects_limit',
  'theme_id',
  'color_scheme_id',
  'created_at',
];
const FLAGS = ['external', 'private_profile', 'auditor', 'view_diffs_file_by_file'];
const STATES = ['blocked', 'deactivated', 'banned'];

/** The users of a server. The administrator, who is there before every seed, is named only for what they have. */
export async function usersOf(source: ExportSource, users: readonly Answer[]): Promise<Answer[]> {
  const snippets = (await listById(source, '/snippets/all')).filter(({ project_id: project }) => project == null);
  const exported = await inTurn(users, async (user) => {
    const own = snippets.filter(({ author }) => (author as Answer).username === user.username);
    return userOf(source, user, own);
  });
  return exported.filter(({ username, ...rest }) => username !== 'root' || Object.keys(rest).length > 0);
}

async function userOf(source: ExportSource, user: Answer, snippets: readonly Answer[]): Promise<Answer> {
  const list = (name: string) => listById(source, `/users/${String(user.id)}/${name}`);
  const belongings = compact({
    keys: (await list('keys')).map((key) => pick(key, ['title', 'key', 'expires_at', 'usage_type', 'created_at'])),
    gpg_keys: (await list('gpg_keys')).map((key) => pick(key, ['key', 'created_at'])),
    emails: (await list('emails'))
      .filter(({ email }) => email !== user.email)
      .map(({ email, confirmed_at }) => compact({ email, created_at: confirmed_at })),
    snippets: (await snippetsOf(source, '/snippets', snippets)).map(({ author: _, ...snippet }) => snippet),
  });
  if (user.username === 'root') return { username: 'root', ...belongings };
  const status = (await source.get(`/users/${String(user.id)}/status`)) as Answer | null;
  return compact({
    ...pick(user, ATTRIBUTES),
    admin: user.is_admin === true ? true : undefined,
    ...flags(user, FLAGS),
    ...(user.can_create_group === false ? { can_create_group: false } : {}),
    state: STATES.includes(String(user.state)) ? user.state : undefined,
    status: statusOf(status ?? {}),
    ...belongings,
  });
}

/** What a user tells of themselves now; undefined if that is nothing. */
function statusOf({ emoji, message, availability }: Answer): Answer | undefined {
  const isSet = Boolean(message) || availability === 'busy' || (Boolean(emoji) && emoji !== 'speech_balloon');
  return isSet
    ? compact({ emoji, message, availability: availability === 'busy' ? availability : undefined })
    : undefined;
}
