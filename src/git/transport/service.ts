import { join } from 'node:path';
import { packageRoot } from '../../core/package-root.ts';
import { SERVER_REFS } from '../refs/index.ts';

/** The two halves of the smart protocol. */
export type Service = 'upload-pack' | 'receive-pack';

/** Path of a repository; implemented by `Repository`. */
export interface RepositoryPath {
  readonly dir: string;
}

/** Folder of the git hooks. They move no ref and decide nothing: they let git ask this process. */
const HOOKS = join(packageRoot(), 'src/git/transport/hooks');

/**
 * The server's own refs, which cannot be fetched by name or pushed; `refs/stithy` is hidden from every command. Merge
 * request and pipeline refs can be fetched, but only the server writes them.
 */
const HIDDEN: Record<Service, readonly string[]> = {
  'upload-pack': ['refs/keep-around'],
  'receive-pack': SERVER_REFS,
};

/** Arguments before the name of the service, for both advertisement and exchange. */
export function serviceConfig(service: Service): string[] {
  const section = service === 'upload-pack' ? 'uploadpack' : 'receive';
  const hidden = HIDDEN[service].flatMap((prefix) => ['-c', `${section}.hideRefs=${prefix}`]);
  if (service === 'upload-pack') return hidden;
  return [...hidden, '-c', `core.hooksPath=${HOOKS}`, '-c', 'receive.procReceiveRefs=refs'];
}

/**
 * Parses the requested protocol version.
 * @param header value of `Git-Protocol`: colon-separated entries, of which only `version=0`, `1` and `2` are known
 * @returns the highest requested version, 0 if there is none
 */
export function protocolVersion(header: string | undefined): 0 | 1 | 2 {
  const asked = (header ?? '').slice(0, 1_000).split(':');
  if (asked.includes('version=2')) return 2;
  return asked.includes('version=1') ? 1 : 0;
}

/** Environment that passes the version to git. */
export function protocolEnvironment(header: string | undefined): Record<string, string> {
  const version = protocolVersion(header);
  return version === 0 ? {} : { GIT_PROTOCOL: `version=${version}` };
}
