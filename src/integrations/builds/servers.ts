import type { Payload } from '../telling/payload.ts';
import { broughtCommits, refName } from '../telling/payload.ts';
import { type Act, base, basic, type OutRequest, postJson, type Work } from '../telling/work.ts';

/** A message as webhooks get it. @param header `X-Gitlab-Event`; that of services where it is left out */
function asWebhook({ raw, deps, idempotencyKey }: Work, url: string, header = 'Service Hook'): OutRequest {
  return postJson(url, raw, {
    'X-Gitlab-Event': header,
    'X-Svc-Event': header,
    'X-Gitlab-Instance': deps.externalUrl(),
    'Idempotency-Key': idempotencyKey,
  });
}

/** Whether a merge request was just opened and nobody has looked yet whether it can be merged. */
const isFreshRequest = ({ object_attributes: attributes }: Payload): boolean =>
  ['open', 'reopen'].includes(attributes?.action ?? '') && attributes?.state === 'opened';

/** Whether a branch has an open merge request, which is built instead of it. */
async function hasOpenRequest({ deps, projectId, payload }: Work): Promise<boolean> {
  if (projectId === null) return false;
  const found = await deps.db
    .selectFrom('merge_requests')
    .select('id')
    .where('source_project_id', '=', projectId)
    .where('source_branch', '=', refName(payload))
    .where('state', '=', 'opened')
    .limit(1)
    .executeTakeFirst();
  return found !== undefined;
}

/** Whether something is to be built: commits of a branch without a merge request, a new tag, a new merge request. */
async function isToBuild(work: Work): Promise<boolean> {
  const { trigger, payload } = work;
  if (trigger === 'merge_requests') return isFreshRequest(payload);
  if (!broughtCommits(payload)) return false;
  return trigger !== 'push' || !(await hasOpenRequest(work));
}

const credentials = ({ text }: Work) => basic(text('username'), text('password'));

export const bamboo: Act = async (work) => {
  const query = new URLSearchParams({ buildKey: work.text('build_key'), os_authType: 'basic' });
  const url = `${base(work.text('bamboo_url'))}/updateAndBuild.action?${query}`;
  await work.call({ method: 'GET', url, headers: credentials(work) });
};

export const buildkite: Act = async (work) => {
  const [token = ''] = work.text('token').split(':');
  // Its certificate is always checked.
  const request = asWebhook(work, `https://webhook.buildkite.com/deliver/${encodeURIComponent(token)}`);
  await work.call({ ...request, verifyTls: true });
};

export const drone: Act = async (work) => {
  if (!(await isToBuild(work))) return;
  const path = work.payload.project?.path_with_namespace ?? '';
  const at = path.lastIndexOf('/');
  const query = new URLSearchParams({
    owner: path.slice(0, at),
    name: path.slice(at + 1),
    access_token: work.text('token'),
  });
  await work.call(asWebhook(work, `${base(work.text('drone_url'))}/hook?${query}`));
};

export const jenkins: Act = async (work) => {
  const name = work.text('project_name').split('/').map(encodeURIComponent).join('/');
  const request = asWebhook(work, `${base(work.text('jenkins_url'))}/project/${name}`, work.header);
  const auth = work.text('username') === '' ? {} : credentials(work);
  await work.call({ ...request, headers: { ...request.headers, ...auth } });
};

const attribute = (value: string): string =>
  value.replace(/&/g, '&amp;').replace(/</g, '&lt;').replace(/>/g, '&gt;').replace(/"/g, '&quot;');

export const teamcity: Act = async (work) => {
  if (!(await isToBuild(work))) return;
  const { payload, trigger } = work;
  const branch = trigger === 'push' ? refName(payload) : (payload.object_attributes?.source_branch ?? '');
  await work.call({
    method: 'POST',
    url: `${base(work.text('teamcity_url'))}/httpAuth/app/rest/buildQueue`,
    headers: { 'Content-Type': 'application/xml', ...credentials(work) },
    body: `<build branchName="${attribute(branch)}"><buildType id="${attribute(work.text('build_type'))}"/></build>`,
  });
};

export const packagist: Act = async (work) => {
  const query = new URLSearchParams({ username: work.text('username'), apiToken: work.text('token') });
  const server = base(work.text('server') || 'https://packagist.org');
  await work.call(asWebhook(work, `${server}/api/update-package?${query}`));
};

/** Tags of Datadog: a line each, as a list with commas. */
const tagsOf = (text: string): string =>
  text
    .split('\n')
    .map((line) => line.trim())
    .filter(Boolean)
    .join(',');

const OF_PIPELINES: readonly string[] = ['pipeline', 'job', 'archive_trace'];

export const datadog: Act = async (work) => {
  if (OF_PIPELINES.includes(work.trigger) && work.setting('datadog_ci_visibility') === false) return;
  if (work.trigger === 'archive_trace' && work.setting('archive_trace_events') !== true) return;
  const url = new URL(
    work.text('api_url') || `https://webhook-intake.${work.text('datadog_site') || 'datadoghq.com'}/api/v2/webhook`,
  );
  url.searchParams.set('dd-api-key', work.text('api_key'));
  for (const [name, value] of [
    ['env', work.text('datadog_env')],
    ['service', work.text('datadog_service')],
    ['tags', tagsOf(work.text('datadog_tags'))],
  ] as const) {
    if (value !== '') url.searchParams.set(name, value);
  }
  await work.call(asWebhook(work, url.href, work.header));
};

export const squashTm: Act = async (work) => {
  const url = new URL(work.text('url'));
  if (work.text('token') !== '') url.searchParams.set('token', work.text('token'));
  await work.call(asWebhook(work, url.href, work.header));
};

const GITHUB_STATES: Readonly<Record<string, string>> = { success: 'success', failed: 'failure', canceled: 'error' };

/** The API of the GitHub server that a repository is on, and the repository's path there. */
function githubPlace(address: string): { api: string; path: string } {
  const { origin, hostname, pathname } = new URL(address);
  const path = pathname.replace(/^\/|\.git$|\/$/g, '');
  return { api: hostname === 'github.com' ? 'https://api.github.com' : `${origin}/api/v3`, path };
}

export const github: Act = async (work) => {
  const { sha = '', status = '', ref, id } = work.payload.object_attributes ?? { id: 0 };
  const { api, path } = githubPlace(work.text('repository_url'));
  const name = work.setting('static_context') === false ? `pipeline ${ref ?? ''}` : 'pipeline';
  const body = {
    state: GITHUB_STATES[status] ?? 'pending',
    target_url: `${work.payload.project?.web_url ?? ''}/-/pipelines/${id}`,
    description: `Pipeline ${status}`,
    context: `ci/${new URL(work.deps.externalUrl()).hostname}/${name}`,
  };
  const headers = { Authorization: `Bearer ${work.text('token')}`, Accept: 'application/vnd.github+json' };
  await work.call(postJson(`${api}/repos/${path}/statuses/${sha}`, body, headers));
};
