import type { Readable } from 'node:stream';
import { protocolEnvironment, type RepositoryPath, serviceConfig } from './service.ts';
import { startSession, type TransportOptions, type TransportSession } from './session.ts';

/** Maximum request size. Wants and haves are text: a negotiation over a very long history takes a few megabytes. */
const MAX_NEGOTIATION = 32 * 1024 * 1024;

/**
 * One round of a fetch or clone: `POST <repository>/git-upload-pack`, or a whole SSH session.
 * @param repository repository to read
 * @param input decoded request body
 * @param options see {@link TransportOptions}
 * @throws GitError `failed` if git fails without an answer of its own, `invalid` for a body that is too long, `busy`,
 *   `timeout`, `aborted`
 */
export function uploadPack(
  repository: RepositoryPath,
  input: Readable,
  options: TransportOptions = {},
): Promise<TransportSession> {
  const stateless = options.stateless === false ? [] : ['--stateless-rpc'];
  return startSession(
    {
      args: [...serviceConfig('upload-pack'), 'upload-pack', ...stateless, '--strict', '.'],
      gitDir: repository.dir,
      env: protocolEnvironment(options.protocol),
      input,
      maxInputBytes: MAX_NEGOTIATION,
    },
    options,
  );
}
