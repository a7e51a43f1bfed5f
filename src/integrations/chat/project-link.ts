import type { Payload } from '../dispatch/integration-payload.ts';
import type { Style } from './style.ts';

/** Link to the project of an event. */
export const projectLink = ({ link }: Style, { project }: Payload): string =>
  project === undefined ? 'a group' : link(project.path_with_namespace, project.web_url);
