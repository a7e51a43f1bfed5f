import type { Payload } from '../dispatch/integration-payload.ts';
import type { Style } from './style.ts';

/** The project that something happened in, as a link to it. */
export const projectLink = ({ link }: Style, { project }: Payload): string =>
  project === undefined ? 'a group' : link(project.path_with_namespace, project.web_url);
