import type { MergeRequest } from '../../../db/tables/merge-requests.ts';
import type { Place } from '../recipients/place.ts';

export const mergeRequestSubject = ({ project }: Place, { title, iid }: Pick<MergeRequest, 'title' | 'iid'>): string =>
  `${project.name} | ${title} (!${iid})`;
