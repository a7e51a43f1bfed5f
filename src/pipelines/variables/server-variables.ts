import type { Variable } from '../../ci/variables/variable.ts';
import type { Plan } from '../../config/config.ts';
import { VERSION } from '../../core/core.version.ts';
import type { Db } from '../../db/db.schema.ts';
import type { Deps } from '../../deps.ts';
import { effectivePlan } from '../../licence/effective-plan.ts';
import type { LicenseDeps } from '../../licence/licence.stored.ts';
import { sshEndpoint } from '../../repositories/ssh-address.ts';
import { publicVariables } from './values.ts';

/** Feature names of paid plans that configurations can query. */
const FEATURES: Readonly<Record<Plan, readonly string[]>> = {
  free: [],
  premium: ['code_owners', 'merge_request_approvers', 'multiple_approval_rules', 'protected_refs_for_users'],
  ultimate: [
    'api_fuzzing',
    'cluster_image_scanning',
    'container_scanning',
    'coverage_fuzzing',
    'dast',
    'dependency_scanning',
    'external_status_checks',
    'license_scanning',
    'sast',
    'sast_iac',
    'secret_detection',
  ],
};

function featuresOf(plan: Plan): string[] {
  if (plan === 'free') return [];
  return [...FEATURES.premium, ...(plan === 'ultimate' ? FEATURES.ultimate : [])].sort();
}

/**
 * Variables about the server.
 * @param db the handle of a transaction, if there is one
 */
export async function serverVariables(
  deps: LicenseDeps & Pick<Deps, 'config' | 'externalUrl'>,
  db: Db,
): Promise<Variable[]> {
  const base = deps.externalUrl();
  const url = new URL(base);
  const protocol = url.protocol.slice(0, -1);
  const ssh = sshEndpoint(deps.config, base);
  const { text, major, minor, patch } = deps.config.reportedVersion;
  return publicVariables({
    CI: 'true',
    GITLAB_CI: 'true',
    CI_SERVER_NAME: 'GitLab',
    CI_SERVER_VERSION: text,
    CI_SERVER_VERSION_MAJOR: String(major),
    CI_SERVER_VERSION_MINOR: String(minor),
    CI_SERVER_VERSION_PATCH: String(patch),
    CI_SERVER_REVISION: VERSION.revision,
    CI_SERVER_URL: base,
    CI_SERVER_HOST: url.hostname,
    CI_SERVER_PORT: url.port || (protocol === 'https' ? '443' : '80'),
    CI_SERVER_PROTOCOL: protocol,
    CI_SERVER_FQDN: url.host,
    CI_SERVER_SHELL_SSH_HOST: ssh.host,
    CI_SERVER_SHELL_SSH_PORT: String(ssh.port),
    CI_API_V4_URL: `${base}/api/v4`,
    CI_API_GRAPHQL_URL: `${base}/api/graphql`,
    CI_TEMPLATE_REGISTRY_HOST: 'registry.gitlab.com',
    GITLAB_FEATURES: featuresOf(await effectivePlan(deps, db)).join(','),
  });
}
