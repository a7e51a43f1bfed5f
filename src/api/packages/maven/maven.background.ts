import type { Deps } from '../../../deps.ts';
import { rewriteMetadata } from './metadata/maven-metadata.rewrite.ts';

/** Keeps the metadata of artifacts consistent with the existing versions. */
export function registerMaven(deps: Deps): void {
  deps.events.subscribe({
    name: 'maven.metadata',
    types: ['package.deleted'],
    wants: ({ payload: { project_id, package_type, name, version } }) =>
      package_type === 'maven' && version !== null ? [{ orderKey: `maven:${project_id}:${name}` }] : false,
    handle: ({ payload: { project_id, name } }) => rewriteMetadata(deps, project_id, name),
  });
}
