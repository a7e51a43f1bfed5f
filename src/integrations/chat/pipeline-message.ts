import type { DispatchContext } from '../dispatch/dispatch-context.ts';
import { actorName } from '../dispatch/integration-payload.ts';
import type { ChatMessage } from './chat-message.ts';
import { projectLink } from './project-link.ts';
import type { Style } from './style.ts';

/** Maximum number of jobs and stages in a message. */
const MAX_NAMES = 10;

/** Seconds as `01:23`, or `1:02:03`. */
function duration(seconds: number): string {
  const two = (value: number) => String(value).padStart(2, '0');
  const [hours, minutes, rest] = [Math.floor(seconds / 3_600), Math.floor(seconds / 60) % 60, Math.floor(seconds) % 60];
  return hours > 0 ? `${hours}:${two(minutes)}:${two(rest)}` : `${two(minutes)}:${two(rest)}`;
}

function outcome(status: string, warned: boolean): { words: string; color: string } {
  if (status === 'success')
    return warned ? { words: 'has passed with warnings', color: 'warning' } : { words: 'has passed', color: 'good' };
  return status === 'failed' ? { words: 'has failed', color: 'danger' } : { words: status, color: 'warning' };
}

const named = (names: readonly string[]): string => {
  const unique = [...new Set(names)];
  const more = unique.length - MAX_NAMES;
  return unique.slice(0, MAX_NAMES).join(', ') + (more > 0 ? `, and ${more} more` : '');
};

/** Message about a finished pipeline. */
export function pipelineMessage({ payload, deps }: DispatchContext, style: Style): ChatMessage {
  const {
    id,
    ref,
    tag,
    status = '',
    detailed_status = '',
    duration: took,
    name,
  } = payload.object_attributes ?? { id: 0 };
  const { project, commit, user, builds = [] } = payload;
  const web = project?.web_url ?? '';
  const url = `${web}/-/pipelines/${id}`;
  const kind = tag === true ? 'tag' : 'branch';
  const refUrl = tag === true ? `${web}/-/tags/${ref}` : `${web}/-/commits/${ref}`;
  const { words, color } = outcome(status, /warning/.test(detailed_status));
  const who = style.plain(actorName(payload));
  const place = projectLink(style, payload);
  const of = `Pipeline ${style.link(`#${id}`, url)} of ${kind} ${style.link(style.plain(ref ?? ''), refUrl)} by ${who} ${words}`;
  const time = took == null ? '' : ` in ${duration(took)}`;
  const failed = builds.filter((build) => build.status === 'failed' && !build.allow_failure);
  const field = (title: string, value: string) => ({ title, value, short: true });
  const many = (word: string, names: readonly string[]) =>
    new Set(names).size > 1 ? `Failed ${word}s` : `Failed ${word}`;
  const plain = `Pipeline #${id} ${words}${time}`;
  const stages = failed.map(({ stage }) => stage);
  const jobs = failed.map((job) => job.name);
  return {
    summary: `${place}: ${of}${time}`,
    attachments: [{ text: `${of}${time}`, color }],
    activity: { title: of, subtitle: `in ${place}`, text: took == null ? '' : `in ${duration(took)}` },
    thread: `pipeline ${id}`,
    channel: 'pipeline',
    card: {
      fallback: plain,
      color,
      author_name: who,
      author_icon: user?.avatar_url ?? null,
      author_link: user == null ? null : `${deps.externalUrl()}/${user.username}`,
      title: plain,
      title_link: url,
      fields: [
        field(tag === true ? 'Tag' : 'Branch', style.link(style.plain(ref ?? ''), refUrl)),
        ...(commit == null ? [] : [field('Commit', style.link(style.plain(commit.title), commit.url))]),
        ...(stages.length === 0 ? [] : [field(many('stage', stages), style.plain(named(stages)))]),
        ...(jobs.length === 0 ? [] : [field(many('job', jobs), style.plain(named(jobs)))]),
        ...(name == null ? [] : [field('Pipeline name', style.plain(name))]),
      ],
      footer: project?.name ?? '',
      ts: Math.floor(deps.clock.now().getTime() / 1_000),
    },
  };
}
