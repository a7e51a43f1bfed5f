import type { Deps } from '../../../deps.ts';
import { mailHost } from '../../../mail/send-mail.ts';
import type { ProjectContext } from '../recipients/project-context.ts';

const MAX_LIST_ID = 255;

/** Headers about the project, for mail filters. */
export function projectHeaders(deps: Deps, { project }: ProjectContext): Record<string, string> {
  return {
    'X-GitLab-Project': project.name,
    'X-GitLab-Project-Id': String(project.id),
    'X-GitLab-Project-Path': project.full_path,
    'List-Id': listId(project.full_path, project.id, mailHost(deps)),
  };
}

/** `group/project <1.project.group.forge.example.com>` */
function listId(fullPath: string, id: number, host: string): string {
  const parts = fullPath.toLowerCase().split('/').reverse();
  const name = parts.map((part) => part.replace(/[^a-z0-9]/g, '-')).join('.');
  const room = MAX_LIST_ID - `${id}..${host}<> `.length;
  const short = name.slice(0, room).replace(/[.-]+$/, '');
  const whole = `<${id}.${short}.${host}>`;
  return `${fullPath.slice(0, Math.max(MAX_LIST_ID - whole.length - 1, 0))} ${whole}`.trimStart();
}

/** Headers about the issue, merge request or comment, for mail filters. */
export function modelHeaders(
  model: 'Issue' | 'MergeRequest' | 'Note' | 'Snippet' | 'Commit',
  { id, iid, state }: { id: number | string; iid?: number | null; state?: string },
): Record<string, string> {
  return {
    [`X-GitLab-${model}-ID`]: String(id),
    ...(iid == null ? {} : { [`X-GitLab-${model}-IID`]: String(iid) }),
    ...(state === undefined ? {} : { [`X-GitLab-${model}-State`]: state }),
  };
}
