import { join } from 'node:path';
import { packageRoot } from '../../core/package-root.ts';
import { SERVER_REFS } from '../server-refs.ts';

/** The two halves of the smart protocol. */
export type Service = 'upload-pack' | 'receive-pack';

/** Where a repository lies; a `Repository` is one. */
export interface RepositoryPath {
  readonly dir: string;
}

/** The folder of our hooks, which move no ref and decide nothing: they let git ask this process. */
const HOOKS = join(packageRoot(), 'src/git/transport/hooks');

/**
 * Refs of the server's own, which nobody fetches by name or pushes; `refs/stithy` is hidden for every command.
 * Merge request and pipeline refs can be fetched, but only the server writes them.
 */
const HIDDEN: Record<Service, readonly string[]> = {
  'upload-pack': ['refs/keep-around'],
  'receive-pack': SERVER_REFS,
};

/** Arguments that come before the name of the service, for the advertisement as for the exchange. */
export function serviceConfig(service: Service): string[] {
  const section = service === 'upload-pack' ? 'uploadpack' : 'receive';
  const hidden = HIDDEN[service].flatMap((prefix) => ['-c', `${section}.hideRefs=${prefix}`]);
  if (service === 'upload-pack') return hidden;
  return [...hidden, '-c', `core.hooksPath=${HOOKS}`, '-c', 'receive.procReceiveRefs=refs'];
}

/**
 * Reads the protocol version a client asks for.
 * @param header value of `Git-Protocol`: colon-separated, of which only `version=0`, `1` and `2` mean anything to us
 * @returns the highest version asked for, 0 when there is none
 */
export function protocolVersion(header: string | undefined): 0 | 1 | 2 {
  const asked = (header ?? '').slice(0, 1_000).split(':');
  if (asked.includes('version=2')) return 2;
  return asked.includes('version=1') ? 1 : 0;
}

/** The variable by which git learns the version. */
export function protocolEnvironment(header: string | undefined): Record<string, string> {
  const version = protocolVersion(header);
  return version === 0 ? {} : { GIT_PROTOCOL: `version=${version}` };
}
