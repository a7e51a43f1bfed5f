import { connect } from 'node:net';
import { BlockedAddress, resolveExternal } from '../../outbound/outbound.resolve.ts';
import { hookRules } from '../../webhooks/webhooks.address.ts';
import { type DispatchContext, type Handler, ServiceUnreachable } from '../dispatch/dispatch-context.ts';
import { actorName, isNewRef, isRemovedRef, isTag, refName } from '../dispatch/integration-payload.ts';

const HOST = 'localhost';
const PORT = 6659;
const TIMEOUT_MS = 10_000;
/** Maximum number of commits to list. */
const MAX_COMMITS = 3;
const MAX_RECIPIENTS = 50;

/** Recipients: full URIs, and names with the default URI as prefix. */
export function recipientsOf(text: (name: string) => string): string[] {
  const before = text('default_irc_uri');
  return text('recipients')
    .split(/\s+/)
    .filter(Boolean)
    .slice(0, MAX_RECIPIENTS)
    .map((name) => (/^ircs?:\/\//.test(name) || before === '' ? name : `${before.replace(/\/?$/, '/')}${name}`));
}

/** Replaces control characters, so that a text is one line without IRC commands. */
const oneLine = (text: string): string => text.replace(/\p{Cc}+/gu, ' ');

/** IRC lines about a push. */
export function linesOf({ payload, setting }: DispatchContext): string[] {
  const color = (code: string, text: string) =>
    setting('colorize_messages') === true ? `\x03${code}${text}\x0f` : text;
  const { project, commits = [], total_commits_count: total = 0, before = '', after = '' } = payload;
  const name = refName(payload);
  const head = `${color('05', project?.path_with_namespace ?? '')}:`;
  const who = color('10', oneLine(actorName(payload)));
  const ref = color('06', name);
  const kind = isTag(payload) ? 'tag' : 'branch';
  if (isRemovedRef(payload)) return [`${head} ${who} has deleted the ${kind} ${ref}`];
  const first = isNewRef(payload)
    ? [
        `${head} ${who} has created a new ${kind} ${ref}: ${project?.web_url}/-/${isTag(payload) ? 'tags' : 'tree'}/${name}`,
      ]
    : [];
  if (isTag(payload) || total === 0) return first;
  const pushed = `${head} ${who} pushed ${total} new ${total === 1 ? 'commit' : 'commits'} to ${ref}: ${project?.web_url}/-/compare/${before.slice(0, 8)}...${after.slice(0, 8)}`;
  const each = commits
    .slice(0, MAX_COMMITS)
    .map(
      (commit) =>
        `${head} ${ref} * ${color('14', commit.id.slice(0, 8))} ${oneLine(`${commit.author.name}: ${commit.title}`)}`,
    );
  return [...first, pushed, ...each];
}

/** irker: a daemon that forwards lines of JSON to IRC. */
export const irker: Handler = async (context) => {
  const to = recipientsOf(context.text);
  const lines = linesOf(context);
  if (to.length === 0 || lines.length === 0) return;
  const text = lines.map((privmsg) => `${JSON.stringify({ to, privmsg })}\n`).join('');
  await send(context, text);
};

async function send({ deps, setting, text, header, signal }: DispatchContext, bytes: string): Promise<void> {
  const port = Number(setting('server_port') ?? PORT);
  try {
    // The URL only carries host and port: no HTTP request is made.
    const url = new URL(`http://${text('server_host') || HOST}:${port}`);
    const about = { kind: 'integration', method: 'POST', event: header, hookId: null, timeoutMs: TIMEOUT_MS } as const;
    const call = { ...about, url: url.href, headers: {}, body: bytes, signal };
    const { status } = await deps.outgoing.make(call, async () => {
      const [host] = await resolveExternal(url, await hookRules(deps, false));
      await write(host!, port, bytes, signal);
      return { status: 200, headers: {}, body: '' };
    });
    if (status >= 400) throw new Error(`it answered with status ${status}`);
  } catch (error) {
    signal.throwIfAborted();
    if (error instanceof BlockedAddress) throw new ServiceUnreachable(`it ${error.message}`);
    throw new ServiceUnreachable(error instanceof Error ? error.message : 'connection failed');
  }
}

/** Writes to a TCP port and closes the connection. */
const write = (host: string, port: number, bytes: string, signal: AbortSignal): Promise<void> =>
  new Promise((resolve, reject) => {
    const socket = connect({ host, port });
    const stop = () => socket.destroy(new Error('the server was stopped'));
    signal.addEventListener('abort', stop, { once: true });
    socket.setTimeout(TIMEOUT_MS, () => socket.destroy(new Error('timeout')));
    socket.on('connect', () => socket.end(bytes));
    socket.on('data', () => {});
    socket.on('error', reject);
    socket.on('close', (failed) => {
      signal.removeEventListener('abort', stop);
      if (!failed) resolve();
    });
  });
