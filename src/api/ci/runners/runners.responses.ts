import { Type } from 'typebox';
import { Enum, Instant, Nullable } from '../../../http/http.schema.ts';
import { UserBasic } from '../../identity/index.ts';
import { SimpleProject } from '../../spaces/index.ts';
import { RUNNER_TYPES } from './runners.inputs.ts';
import { RUNNER_STATES } from './runners.status.ts';

const tokenExpiresAt = Nullable(Instant({ description: 'When the token ends; null for never.' }));

/** A runner with its token, for the program that is to run as it. */
export const RunnerRegistration = Type.Object({
  id: Type.Integer(),
  token: Type.String({ description: 'Token of the runner.' }),
  token_expires_at: tokenExpiresAt,
});

/** A token in the place of another one. */
export const RenewedRunnerToken = Type.Object({
  token: Type.String({ description: 'The new token; the one before is no good any more.' }),
  token_expires_at: tokenExpiresAt,
});

const status = Enum(RUNNER_STATES, {
  description:
    'Whether it was heard of in the last two hours (`online`), the last seven days (`offline`), earlier or never.',
});
const jobExecutionStatus = Enum(['active', 'idle'], { description: 'Whether it has jobs in hand.' });
const contactedAt = Nullable(Instant({ description: 'When it was last heard of; null for never.' }));
const machine = {
  version: Nullable(Type.String({ description: 'Version of the program.' })),
  revision: Nullable(Type.String({ description: 'Commit that the program was built from.' })),
  platform: Nullable(Type.String({ description: 'Operating system.' })),
  architecture: Nullable(Type.String({ description: 'Processor.' })),
};
const ipAddress = Nullable(
  Type.String({ description: 'Address that it was last heard of from.', examples: ['192.0.2.7'] }),
);

const basic = {
  id: Type.Integer(),
  description: Nullable(Type.String({ description: 'What people call it.', examples: ['Strong one'] })),
  ip_address: ipAddress,
  active: Type.Boolean({ description: 'Deprecated: the opposite of `paused`.' }),
  paused: Type.Boolean({ description: 'Whether it gets no further jobs.' }),
  is_shared: Type.Boolean({ description: 'Whether it is one of the server.' }),
  runner_type: Enum(RUNNER_TYPES, { description: 'For whose jobs it is.' }),
  name: Type.Null({ description: 'Always null.' }),
  online: Nullable(Type.Boolean({ description: 'Whether it was heard of lately.' })),
  created_by: Nullable(UserBasic),
  created_at: Instant(),
  status,
  job_execution_status: jobExecutionStatus,
};

export const Runner = Type.Object(basic);

/** A runner with all that is known of it, but its token. */
export const RunnerDetails = Type.Object({
  ...basic,
  tag_list: Type.Array(Type.String(), { description: 'Tags of jobs that it takes.' }),
  run_untagged: Type.Boolean({ description: 'Whether it takes jobs without tags, too.' }),
  locked: Type.Boolean({ description: 'Whether it stays with the project that it has.' }),
  maximum_timeout: Nullable(Type.Integer({ description: 'Seconds that it gives a job at most.' })),
  access_level: Enum(['not_protected', 'ref_protected'], {
    description: 'Whether it takes jobs of protected branches and tags alone (`ref_protected`).',
  }),
  ...machine,
  contacted_at: contactedAt,
  maintenance_note: Nullable(Type.String({ description: 'What those who look after it should know.' })),
  token_expires_at: tokenExpiresAt,
  projects: Type.Optional(
    Type.Array(SimpleProject, { description: 'Projects that it works for and the caller may see.' }),
  ),
  groups: Type.Array(Type.Object({ id: Type.Integer(), web_url: Type.String(), name: Type.String() }), {
    description: 'The group that it works for.',
  }),
});

/** One of the machines that share the token of a runner. */
export const RunnerManager = Type.Object({
  id: Type.Integer(),
  system_id: Type.String({ description: 'What the machine calls itself.', examples: ['s_89e5e9956577'] }),
  ...machine,
  created_at: Instant(),
  contacted_at: contactedAt,
  ip_address: ipAddress,
  status,
  job_execution_status: jobExecutionStatus,
});
