import {
  base,
  basic,
  type DispatchContext,
  type Handler,
  type OutboundRequest,
  postJson,
} from '../dispatch/dispatch-context.ts';
import type { Payload } from '../dispatch/integration-payload.ts';
import { hasNewCommits, refName } from '../dispatch/integration-payload.ts';

/** Builds a request in the format of webhooks. @param header value of `X-Gitlab-Event`; defaults to `Service Hook` */
function asWebhook(
  { raw, deps, idempotencyKey }: DispatchContext,
  url: string,
  header = 'Service Hook',
): OutboundRequest {
  return postJson(url, raw, {
    'X-Gitlab-Event': header,
    'X-Svc-Event': header,
    'X-Gitlab-Instance': deps.externalUrl(),
    'Idempotency-Key': idempotencyKey,
  });
}

/** Whether a merge request was just opened and its mergeability is not yet checked. */
const isFreshRequest = ({ object_attributes: attributes }: Payload): boolean =>
  ['open', 'reopen'].includes(attributes?.action ?? '') && attributes?.state === 'opened';

/** Whether the branch has an open merge request, which is built instead. */
async function hasOpenRequest({ deps, projectId, payload }: DispatchContext): Promise<boolean> {
  if (projectId === null) return false;
  const mergeRequest = await deps.db
    .selectFrom('merge_requests')
    .select('id')
    .where('source_project_id', '=', projectId)
    .where('source_branch', '=', refName(payload))
    .where('state', '=', 'opened')
    .limit(1)
    .executeTakeFirst();
  return mergeRequest !== undefined;
}

/** Whether to start a build: for commits of a branch without a merge request, a new tag, or a new merge request. */
async function isToBuild(context: DispatchContext): Promise<boolean> {
  const { trigger, payload } = context;
  if (trigger === 'merge_requests') return isFreshRequest(payload);
  if (!hasNewCommits(payload)) return false;
  return trigger !== 'push' || !(await hasOpenRequest(context));
}

const credentials = ({ text }: DispatchContext) => basic(text('username'), text('password'));

export const bamboo: Handler = async (context) => {
  const query = new URLSearchParams({ buildKey: context.text('build_key'), os_authType: 'basic' });
  const url = `${base(context.text('bamboo_url'))}/updateAndBuild.action?${query}`;
  await context.call({ method: 'GET', url, headers: credentials(context) });
};

export const buildkite: Handler = async (context) => {
  const [token = ''] = context.text('token').split(':');
  // Its TLS certificate is always verified.
  const request = asWebhook(context, `https://webhook.buildkite.com/deliver/${encodeURIComponent(token)}`);
  await context.call({ ...request, verifyTls: true });
};

export const drone: Handler = async (context) => {
  if (!(await isToBuild(context))) return;
  const path = context.payload.project?.path_with_namespace ?? '';
  const at = path.lastIndexOf('/');
  const query = new URLSearchParams({
    owner: path.slice(0, at),
    name: path.slice(at + 1),
    access_token: context.text('token'),
  });
  await context.call(asWebhook(context, `${base(context.text('drone_url'))}/hook?${query}`));
};

export const jenkins: Handler = async (context) => {
  const name = context.text('project_name').split('/').map(encodeURIComponent).join('/');
  const request = asWebhook(context, `${base(context.text('jenkins_url'))}/project/${name}`, context.header);
  const auth = context.text('username') === '' ? {} : credentials(context);
  await context.call({ ...request, headers: { ...request.headers, ...auth } });
};

const attribute = (value: string): string =>
  value.replace(/&/g, '&amp;').replace(/</g, '&lt;').replace(/>/g, '&gt;').replace(/"/g, '&quot;');

export const teamcity: Handler = async (context) => {
  if (!(await isToBuild(context))) return;
  const { payload, trigger } = context;
  const branch = trigger === 'push' ? refName(payload) : (payload.object_attributes?.source_branch ?? '');
  await context.call({
    method: 'POST',
    url: `${base(context.text('teamcity_url'))}/httpAuth/app/rest/buildQueue`,
    headers: { 'Content-Type': 'application/xml', ...credentials(context) },
    body: `<build branchName="${attribute(branch)}"><buildType id="${attribute(context.text('build_type'))}"/></build>`,
  });
};

export const packagist: Handler = async (context) => {
  const query = new URLSearchParams({ username: context.text('username'), apiToken: context.text('token') });
  const server = base(context.text('server') || 'https://packagist.org');
  await context.call(asWebhook(context, `${server}/api/update-package?${query}`));
};

/** Converts Datadog tags from lines to a comma-separated list. */
const tagsOf = (text: string): string =>
  text
    .split('\n')
    .map((line) => line.trim())
    .filter(Boolean)
    .join(',');

const OF_PIPELINES: readonly string[] = ['pipeline', 'job', 'archive_trace'];

export const datadog: Handler = async (context) => {
  if (OF_PIPELINES.includes(context.trigger) && context.setting('datadog_ci_visibility') === false) return;
  if (context.trigger === 'archive_trace' && context.setting('archive_trace_events') !== true) return;
  const url = new URL(
    context.text('api_url') ||
      `https://webhook-intake.${context.text('datadog_site') || 'datadoghq.com'}/api/v2/webhook`,
  );
  url.searchParams.set('dd-api-key', context.text('api_key'));
  for (const [name, value] of [
    ['env', context.text('datadog_env')],
    ['service', context.text('datadog_service')],
    ['tags', tagsOf(context.text('datadog_tags'))],
  ] as const) {
    if (value !== '') url.searchParams.set(name, value);
  }
  await context.call(asWebhook(context, url.href, context.header));
};

export const squashTm: Handler = async (context) => {
  const url = new URL(context.text('url'));
  if (context.text('token') !== '') url.searchParams.set('token', context.text('token'));
  await context.call(asWebhook(context, url.href, context.header));
};

const GITHUB_STATES: Readonly<Record<string, string>> = { success: 'success', failed: 'failure', canceled: 'error' };

/** API URL of the GitHub server of a repository, and path of the repository. */
function githubPlace(address: string): { api: string; path: string } {
  const { origin, hostname, pathname } = new URL(address);
  const path = pathname.replace(/^\/|\.git$|\/$/g, '');
  return { api: hostname === 'github.com' ? 'https://api.github.com' : `${origin}/api/v3`, path };
}

export const github: Handler = async (context) => {
  const { sha = '', status = '', ref, id } = context.payload.object_attributes ?? { id: 0 };
  const { api, path } = githubPlace(context.text('repository_url'));
  const name = context.setting('static_context') === false ? `pipeline ${ref ?? ''}` : 'pipeline';
  const body = {
    state: GITHUB_STATES[status] ?? 'pending',
    target_url: `${context.payload.project?.web_url ?? ''}/-/pipelines/${id}`,
    description: `Pipeline ${status}`,
    context: `ci/${new URL(context.deps.externalUrl()).hostname}/${name}`,
  };
  const headers = { Authorization: `Bearer ${context.text('token')}`, Accept: 'application/vnd.github+json' };
  await context.call(postJson(`${api}/repos/${path}/statuses/${sha}`, body, headers));
};
