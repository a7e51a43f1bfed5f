import { callerOfPass } from '../../../access/passes.ts';
import { parameter } from '../../../http/credential-places.ts';
import type { Credentials, LookUp } from '../../../http/credentials.ts';
import { CHALLENGED } from '../credentials.ts';
import { type ModuleName, packageName } from './names.ts';

/** What passes for the archives of modules are for. */
export const PURPOSE = 'terraform_module';
/** Seconds. Terraform downloads at once. */
export const LIFE = 300;

/** The pass in the address that a version was told to be at: for this version alone. */
const archivePass: LookUp = async (deps, { secret }, request) => {
  const found = await callerOfPass(deps, secret, PURPOSE);
  if (found === undefined) return undefined;
  const asked = request.params as ModuleName & { module_version: string };
  const row = await deps.db
    .selectFrom('packages')
    .select(['name', 'version'])
    .where('id', '=', found.object)
    .where('package_type', '=', 'terraform_module')
    .where('status', '<>', 'pending_destruction')
    .executeTakeFirst();
  return row?.name === packageName(asked) && row.version === asked.module_version ? found.caller : undefined;
};

const description = 'What the address of a version holds that was told to the caller; it is good for five minutes.';

/** Who may download an archive: also whoever has a pass for it, for Terraform sends no token to such addresses. */
export const WITH_PASS: Credentials = {
  ...CHALLENGED,
  ways: [
    { name: 'modulePass', place: parameter('token'), description, kinds: [archivePass] },
    ...CHALLENGED.ways.map((way) =>
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
