/** Repositories elsewhere: fetches, pushes, imports, bundles. */

export { importBundle } from './bundle.ts';
export { importRepository, mayTakeOver } from './git.import.ts';
export { RemoteError } from './remote-error.ts';
export { fetchObjects } from './remote-fetch.ts';
export { knownCommits, pushRefs, type RemoteChange } from './remote-push.ts';
export { listRemote, type RemoteListing } from './remote-refs.ts';
export type { RemoteSource } from './remote-source.ts';
