import { basic, type DispatchContext, type Handler, postForm, postJson } from '../dispatch/dispatch-context.ts';
import { actorName, isTag, refName } from '../dispatch/integration-payload.ts';

/** Whether `restrict_to_branch` includes the branch of the push. */
export function matchesBranchFilter({ text, payload }: DispatchContext): boolean {
  const branches = text('restrict_to_branch')
    .split(',')
    .map((name) => name.trim())
    .filter(Boolean);
  return branches.length === 0 || branches.includes(refName(payload));
}

const commitsOf = ({ payload }: DispatchContext) => (isTag(payload) ? [] : (payload.commits ?? []));

const ASANA = 'https://app.asana.com/api/1.0';
/** A task by number or URL, with an optional closing keyword before it. */
const TASK = /(fix\w*|clos[ei]\w*)?\W*(?:https:\/\/app\.asana\.com\/\d+\/\w+\/(\w+)|#(\d+))/gi;
const MAX_TASKS = 50;

export const asana: Handler = async (context) => {
  if (!matchesBranchFilter(context)) return;
  const { payload } = context;
  const headers = { Authorization: `Bearer ${context.text('api_key')}` };
  for (const { message, url } of commitsOf(context)) {
    for (const [, closing, byUrl, byNumber] of [...message.matchAll(TASK)].slice(0, MAX_TASKS)) {
      const task = `${ASANA}/tasks/${byUrl ?? byNumber}`;
      const about = `${actorName(payload)} pushed to branch ${refName(payload)} of ${payload.project?.path_with_namespace} ( ${url} )`;
      const { status } = await context.call(postForm(`${task}/stories`, { text: `${about}: ${message}` }, headers));
      if (closing === undefined || status >= 400) continue;
      await context.call({ ...postForm(task, { completed: 'true' }, headers), method: 'PUT' });
    }
  }
};

export const pivotal: Handler = async (context) => {
  if (!matchesBranchFilter(context)) return;
  for (const { id, author, url, message } of commitsOf(context)) {
    const body = { source_commit: { commit_id: id, author: author.name, url, message } };
    const headers = { 'X-TrackerToken': context.text('token') };
    await context.call(postJson('https://www.pivotaltracker.com/services/v5/source_commits', body, headers));
  }
};

/** Reduces a text to a host name label, so that it cannot lead to another host. */
const label = (text: string): string => text.replace(/[^A-Za-z0-9-]/g, '');

export const campfire: Handler = async (context) => {
  const { payload, text } = context;
  const { total_commits_count: total = 0, before = '', after = '' } = payload;
  const place = payload.project?.path_with_namespace ?? '';
  const body = `[${place}] ${payload.user_name ?? 'Somebody'} pushed ${total} commits to ${refName(payload)}: ${payload.project?.web_url}/-/compare/${before}...${after}`;
  const url = `https://${label(text('subdomain'))}.campfirenow.com/room/${encodeURIComponent(text('room'))}/speak.json`;
  await context.call(postJson(url, { message: { body } }, basic(text('token'), 'X')));
};

export const assembla: Handler = async (context) => {
  const { text, raw } = context;
  const url = `https://atlas.assembla.com/spaces/${encodeURIComponent(text('subdomain'))}/github_tool?secret_key=${encodeURIComponent(text('token'))}`;
  await context.call(postJson(url, { payload: raw }));
};

export const pushover: Handler = async (context) => {
  const { payload, text } = context;
  const { total_commits_count: total = 0, before = '', after = '' } = payload;
  const web = payload.project?.web_url ?? '';
  const made = /^0+$/.test(before);
  const removed = /^0+$/.test(after);
  const branch = refName(payload);
  const who = payload.user_name ?? 'Somebody';
  const message = removed
    ? `${who} deleted branch "${branch}".`
    : made
      ? `${who} pushed new branch "${branch}".`
      : `${who} push to branch "${branch}".\nTotal commits count: ${total}`;
  const optional = (name: string): Record<string, string> => (text(name) === '' ? {} : { [name]: text(name) });
  await context.call(
    postForm('https://api.pushover.net/1/messages.json', {
      token: text('api_key'),
      user: text('user_key'),
      ...optional('device'),
      priority: text('priority'),
      ...optional('sound'),
      title: payload.project?.path_with_namespace ?? '',
      message,
      url: removed || made ? web : `${web}/-/compare/${before}...${after}`,
      url_title: `See project ${payload.project?.path_with_namespace ?? ''}`,
    }),
  );
};
