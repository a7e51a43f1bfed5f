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

/** Purpose of download tokens for archives of modules. */
const PURPOSE = 'terraform_module';
/** Validity in seconds. Terraform downloads immediately. */
const LIFE = 300;
const PLACE = parameter('token');

/** Returns the query for the URL of an archive, with a download token, since Terraform sends no credentials there. */
export async function archiveQuery({ deps, caller }: BaseContext, row: Package): Promise<string> {
  const pass = await signDownloadToken(deps, caller, { purpose: PURPOSE, object: row.id }, LIFE);
  // Tells Terraform how to unpack it.
  return pass === null ? '?archive=tgz' : `?token=${pass}&archive=tgz`;
}

const archivePass: CredentialLookup = (deps, { secret }) => callerOfDownloadToken(deps, secret, PURPOSE);

/** Returns the object of the download token in a request; undefined without a token. */
async function objectOf({ deps, request }: BaseContext): Promise<number | undefined> {
  const sent = PLACE.read(request) ?? bearer.read(request);
  return sent === null ? undefined : objectOfDownloadToken(deps, sent.secret, PURPOSE);
}

/** Refuses a download token for another version. @throws ApiError 401 */
export async function requireDownloadToken(c: BaseContext, row: Package): Promise<void> {
  const object = await objectOf(c);
  if (object !== undefined && object !== row.id) throw unauthorized();
}

/** Refuses all download tokens, for resources that they do not cover. @throws ApiError 401 */
export async function rejectDownloadToken(c: BaseContext): Promise<void> {
  if ((await objectOf(c)) !== undefined) throw unauthorized();
}

const description = 'A token in the download URL of a version; valid for five minutes.';

/** Credentials for downloading an archive: includes download tokens, since Terraform sends no credentials there. */
export const DOWNLOAD_TOKEN_CREDENTIALS: Credentials = {
  ...CHALLENGED,
  methods: [
    { name: 'modulePass', location: PLACE, description, kinds: [archivePass] },
    ...CHALLENGED.methods.map((way) =>
      way.name === 'packageBearer'
        ? {
            ...way,
            name: 'moduleBearer',
            description: `${way.description} Or a${description.slice(1)}`,
            kinds: [...way.kinds, archivePass],
          }
        : way,
    ),
  ],
};
