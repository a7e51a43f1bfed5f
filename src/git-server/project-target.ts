import { ofProject } from '../repositories/holder.ts';
import { checkProjectPush } from '../repositories/pushes/check-project-push.ts';
import { afterPush } from './after-push/after-push.message.ts';
import type { GitTarget } from './git-target.ts';
import type { ProjectAccess } from './project-access.ts';

/** The repository of a project that the caller is authorized for. */
export const projectTarget = (access: ProjectAccess): GitTarget => ({
  caller: access.caller,
  holder: ofProject(access.project),
  readOnly: access.project.repository_read_only === 1,
  inProject: access,
  maxPushBytes: Number.POSITIVE_INFINITY,
  check: (deps, push) => checkProjectPush(deps, access.project, access, push),
  after: (deps, push) => afterPush(deps, access, push),
});
