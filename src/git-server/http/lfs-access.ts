import { Type } from 'typebox';
import { describeProjectAbility } from '../../access/ability-words.ts';
import { basic } from '../../http/credential-locations.ts';
import type { CredentialLookup, Credentials } from '../../http/http.credentials.ts';
import type { Access } from '../../http/http.route.ts';
import type { GitOperation } from '../git-authorization.ts';
import { authorizeLfs } from '../lfs/lfs.access.ts';
import { callerOfLfsToken } from '../lfs/lfs-tokens.ts';
import type { ProjectAccess } from '../project-access.ts';
import { GIT_CREDENTIALS } from './git-http.credentials.ts';
import { GIT_PREFIX } from './git-http.paths.ts';

/** Looks up the LFS token that an SSH client received for its transfers over HTTP. */
const sshPass: CredentialLookup = (deps, { secret }, { params }) =>
  callerOfLfsToken(deps, secret, (params as { repository: string }).repository);

/** Credentials of git, and those from `git-lfs-authenticate`. */
const LFS_CREDENTIALS: Credentials = {
  ...GIT_CREDENTIALS,
  methods: GIT_CREDENTIALS.methods.map((way) =>
    way.location === basic ? { ...way, kinds: [sshPass, ...way.kinds] } : way,
  ),
};

export const LFS_TYPE = 'application/vnd.git-lfs+json';

const inRepository = (wants: GitOperation, description: string): Access<{ access: ProjectAccess }> => ({
  description,
  ...(wants === 'write' ? { ability: 'push_code', writes: true } : { ability: 'read_code' }),
  anonymous: wants === 'read',
  params: {
    repository: Type.String({
      description: 'Full path of the project, with unescaped slashes.',
      examples: ['tools/app'],
    }),
  },
  check: async ({ deps, caller, params }) => ({
    access: await authorizeLfs(deps, caller, params.repository!, wants),
  }),
});

/** Access for callers who may read the repository. */
export const reads = inRepository('read', describeProjectAbility('read_code', undefined, true));
/** Access for callers who may push to the repository. */
export const pushes = inRepository('write', describeProjectAbility('push_code'));

/**
 * Common parts of LFS routes below a repository's address.
 * @param path relative to the repository's address
 */
export const lfsRoute = (path: string) =>
  ({
    root: true,
    path: `${GIT_PREFIX}/:repository/${path}`,
    address: `/:repository.git/${path}`,
    tag: 'Git LFS',
    credentials: LFS_CREDENTIALS,
    mediaType: LFS_TYPE,
    unthrottled: true,
    throttle: 'git_lfs',
  }) as const;

/** Token scopes in addition to those of the API. */
export const READ_SCOPES = ['read_api', 'read_repository', 'write_repository'];
export const WRITE_SCOPES = ['write_repository'];
