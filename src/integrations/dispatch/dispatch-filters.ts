import { bit } from '../../db/columns.ts';
import { previousOutcome } from '../../db/previous-outcome.ts';
import type { Deps } from '../../deps.ts';
import { loadProtections, protectionsOf } from '../../repositories/repository.protections.ts';
import type { DispatchContext } from './dispatch-context.ts';
import { isTag, type Payload, refName } from './integration-payload.ts';

type Filtered = Pick<DispatchContext, 'deps' | 'payload' | 'projectId' | 'setting' | 'text' | 'trigger'>;

/** The branch of an event: pushes, pipelines and deployments have one. */
function branchOf({ trigger, payload }: Filtered): string | undefined {
  if (trigger === 'push') return refName(payload);
  if (trigger === 'deployment') return payload.ref;
  if (trigger !== 'pipeline' || payload.object_attributes?.tag === true) return undefined;
  return payload.object_attributes?.ref ?? undefined;
}

/** Whether `branches_to_be_notified` includes the branch of the event. Tags are always included. */
export async function isOnBranch(context: Filtered): Promise<boolean> {
  const { deps, payload, projectId } = context;
  const branchScope = context.text('branches_to_be_notified');
  const branch = branchOf(context);
  if (branch === undefined || isTag(payload) || branchScope === '' || branchScope === 'all') return true;
  const isDefault = payload.project?.default_branch === branch;
  if (branchScope === 'default') return isDefault;
  const isProtected = projectId !== null && (await protectedBranch(deps, projectId, branch));
  return branchScope === 'protected' ? isProtected : isDefault || isProtected;
}

const protectedBranch = async (deps: Deps, projectId: number, branch: string): Promise<boolean> =>
  protectionsOf(await loadProtections(deps, projectId), 'branch', branch).length > 0;

/** Whether the object of the event has the required labels. Objects without labels always match. */
export function hasLabels({ payload, setting, text }: Filtered): boolean {
  const requiredLabels = text('labels_to_be_notified')
    .split(',')
    .map((label) =>
      label
        .trim()
        .replace(/^~/, '')
        .replace(/^"(.*)"$/, '$1'),
    )
    .filter(Boolean);
  const labels = labelsOf(payload);
  if (requiredLabels.length === 0 || labels === undefined) return true;
  const names = new Set(labels.map(({ title }) => title));
  return setting('labels_to_be_notified_behavior') === 'match_all'
    ? requiredLabels.every((label) => names.has(label))
    : requiredLabels.some((label) => names.has(label));
}

const labelsOf = ({ object_kind, labels, issue, merge_request }: Payload) =>
  object_kind === 'note' ? (issue ?? merge_request)?.labels : labels;

/** Whether a pipeline is sent: failed ones always, successful ones by the settings. */
export async function wantsPipeline({ deps, projectId, payload, setting }: Filtered): Promise<boolean> {
  const { id, status = '', ref, tag } = payload.object_attributes ?? { id: 0 };
  if (status !== 'failed' && (status !== 'success' || setting('notify_only_broken_pipelines') === true)) return false;
  if (setting('notify_only_when_pipeline_status_changes') !== true || projectId === null || ref == null) return true;
  const outcome = await previousOutcome(deps.db, { id, project_id: projectId, ref, tag: bit(tag === true) });
  return outcome !== status;
}
