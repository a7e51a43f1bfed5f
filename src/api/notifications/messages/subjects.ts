import type { MergeRequest } from '../../../db/tables/merge-requests.table.ts';
import type { ProjectContext } from '../recipients/project-context.ts';

export const mergeRequestSubject = (
  { project }: ProjectContext,
  { title, iid }: Pick<MergeRequest, 'title' | 'iid'>,
): string => `${project.name} | ${title} (!${iid})`;
