import { Type } from 'typebox';
import { Enum, Instant, Nullable } from '../../../http/http.schema.ts';
import { UserBasic } from '../../identity/index.ts';
import { SimpleProject } from '../../spaces/index.ts';
import { RUNNER_TYPES } from './runners.inputs.ts';
import { RUNNER_STATES } from './runners.status.ts';

const tokenExpiresAt = Nullable(Instant({ description: 'When the token expires; null for never.' }));

/** A runner with its token, for the runner program. */
export const RunnerRegistration = Type.Object({
  id: Type.Integer(),
  token: Type.String({ description: 'Token of the runner.' }),
  token_expires_at: tokenExpiresAt,
});

/** A renewed token. */
export const RenewedRunnerToken = Type.Object({
  token: Type.String({ description: 'The new token. The previous one is no longer valid.' }),
  token_expires_at: tokenExpiresAt,
});

const status = Enum(RUNNER_STATES, {
  description:
    'Last contact: within two hours (`online`), within seven days (`offline`), earlier (`stale`) or never (`never_contacted`).',
});
const jobExecutionStatus = Enum(['active', 'idle'], { description: 'Whether it is running jobs.' });
const contactedAt = Nullable(Instant({ description: 'Time of the last contact; null for never.' }));
const machine = {
  version: Nullable(Type.String({ description: 'Version of the runner program.' })),
  revision: Nullable(Type.String({ description: 'Commit that the program was built from.' })),
  platform: Nullable(Type.String({ description: 'Operating system.' })),
  architecture: Nullable(Type.String({ description: 'Processor.' })),
};
const ipAddress = Nullable(Type.String({ description: 'Address of the last contact.', examples: ['192.0.2.7'] }));

const basic = {
  id: Type.Integer(),
  description: Nullable(Type.String({ description: 'Description of the runner.', examples: ['Strong one'] })),
  ip_address: ipAddress,
  active: Type.Boolean({ description: 'Deprecated: the opposite of `paused`.' }),
  paused: Type.Boolean({ description: 'Whether the runner takes no new jobs.' }),
  is_shared: Type.Boolean({ description: 'Whether it is an instance runner.' }),
  runner_type: Enum(RUNNER_TYPES, { description: 'Type of the runner.' }),
  name: Type.Null({ description: 'Always null.' }),
  online: Nullable(Type.Boolean({ description: 'Whether the runner was in contact recently.' })),
  created_by: Nullable(UserBasic),
  created_at: Instant(),
  status,
  job_execution_status: jobExecutionStatus,
};

export const Runner = Type.Object(basic);

/** A runner with all details except its token. */
export const RunnerDetails = Type.Object({
  ...basic,
  tag_list: Type.Array(Type.String(), { description: 'Tags of jobs that the runner takes.' }),
  run_untagged: Type.Boolean({ description: 'Whether the runner takes jobs without tags.' }),
  locked: Type.Boolean({ description: 'Whether the runner cannot be assigned to other projects.' }),
  maximum_timeout: Nullable(Type.Integer({ description: 'Maximum seconds a job may run.' })),
  access_level: Enum(['not_protected', 'ref_protected'], {
    description: 'Whether the runner takes only jobs of protected branches and tags (`ref_protected`).',
  }),
  ...machine,
  contacted_at: contactedAt,
  maintenance_note: Nullable(Type.String({ description: 'Note for those who maintain the runner.' })),
  token_expires_at: tokenExpiresAt,
  projects: Type.Optional(
    Type.Array(SimpleProject, { description: 'Projects of the runner that the caller may see.' }),
  ),
  groups: Type.Array(Type.Object({ id: Type.Integer(), web_url: Type.String(), name: Type.String() }), {
    description: 'Group of the runner.',
  }),
});

/** A machine of a runner; machines share its token. */
export const RunnerManager = Type.Object({
  id: Type.Integer(),
  system_id: Type.String({ description: 'System id of the machine.', examples: ['s_89e5e9956577'] }),
  ...machine,
  created_at: Instant(),
  contacted_at: contactedAt,
  ip_address: ipAddress,
  status,
  job_execution_status: jobExecutionStatus,
});
