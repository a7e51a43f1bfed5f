import {
  callerOfDownloadToken,
  objectOfDownloadToken,
  signDownloadToken,
} from '../../../access/signed-download-tokens.ts';
import { unauthorized } from '../../../core/core.errors.ts';
import type { Package } from '../../../db/tables/packages.table.ts';
import { bearer, parameter } from '../../../http/credential-locations.ts';
import type { CredentialLookup, Credentials } from '../../../http/http.credentials.ts';
import type { BaseContext } from '../../../http/http.route.ts';
import { CHALLENGED } from '../registries.credentials.ts';

/** What passes for the archives of modules are for. */
const PURPOSE = 'terraform_module';
/** Seconds. Terraform downloads at once. */
const LIFE = 300;
const PLACE = parameter('token');

/** What follows an address of the archive of a version, so that Terraform, which sends no token there, may download it. */
export async function archiveQuery({ deps, caller }: BaseContext, row: Package): Promise<string> {
  const pass = await signDownloadToken(deps, caller, { purpose: PURPOSE, object: row.id }, LIFE);
  // Tells Terraform how to unpack it.
  return pass === null ? '?archive=tgz' : `?token=${pass}&archive=tgz`;
}

const archivePass: CredentialLookup = (deps, { secret }) => callerOfDownloadToken(deps, secret, PURPOSE);

/** What the pass is for that a request holds; undefined where it holds none. */
async function objectOf({ deps, request }: BaseContext): Promise<number | undefined> {
  const sent = PLACE.read(request) ?? bearer.read(request);
  return sent === null ? undefined : objectOfDownloadToken(deps, sent.secret, PURPOSE);
}

/** Refuses a pass that is for another version. @throws ApiError 401 */
export async function requireDownloadToken(c: BaseContext, row: Package): Promise<void> {
  const object = await objectOf(c);
  if (object !== undefined && object !== row.id) throw unauthorized();
}

/** Refuses all passes, for what one must not be exchanged for. @throws ApiError 401 */
export async function rejectDownloadToken(c: BaseContext): Promise<void> {
  if ((await objectOf(c)) !== undefined) throw unauthorized();
}

const description = 'What the address of a version holds that was told to the caller; it is good for five minutes.';

/** Who may download an archive: also whoever has a pass for it, for Terraform sends no token to such addresses. */
export const DOWNLOAD_TOKEN_CREDENTIALS: Credentials = {
  ...CHALLENGED,
  methods: [
    { name: 'modulePass', location: PLACE, description, kinds: [archivePass] },
    ...CHALLENGED.methods.map((way) =>
      way.name === 'packageBearer'
        ? {
            ...way,
            name: 'moduleBearer',
            description: `${way.description} Or ${description.toLowerCase()}`,
            kinds: [...way.kinds, archivePass],
          }
        : way,
    ),
  ],
};
