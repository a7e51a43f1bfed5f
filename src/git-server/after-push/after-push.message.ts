import { isSshCaller } from '../../access/caller.ts';
import { bannerFor } from '../../api/admin/index.ts';
import type { Deps } from '../../deps.ts';
import type { PushedRef } from '../../git/transport/transport.push.ts';
import { repositoryOf } from '../../repositories/change-refs.ts';
import { storageUse } from '../../settings/storage-limit.ts';
import { creationLines } from '../create-by-push.ts';
import type { ProjectAccess } from '../git-server.access.ts';
import { mergeRequestAddresses } from './after-push.addresses.ts';
import { applyMergeRequestOptions } from './after-push.merge-requests.ts';
import { framed, RULER } from './frame.ts';
import { parseMergeRequestOptions } from './options.ts';
import { pushedBranches } from './pushed.ts';

/** Push options and warnings that are repeated, and characters of each. */
const MAX_SHOWN = 20;
const MAX_TEXT = 500;
const MAX_BANNER = 2_000;

/**
 * Does what a push asks for beside moving refs, and says what follows from it. Never fails: the push has happened.
 * @param moved the refs that were moved
 * @returns lines for the terminal of who pushed, or none
 */
export async function afterPush(
  deps: Deps,
  access: ProjectAccess,
  moved: readonly PushedRef[],
  pushOptions: readonly string[],
): Promise<string> {
  try {
    const { user } = access.caller;
    if (user === null || moved.length === 0) return '';
    const pusher = { ...access, caller: { ...access.caller, user } };
    const branches = pushedBranches(moved, await repositoryOf(deps, access.project).refs.head());
    const options = parseMergeRequestOptions(pushOptions);
    const warnings = options === null ? [] : await applyMergeRequestOptions(deps, pusher, branches, options);
    const created = new Set(moved.flatMap(({ ref, old }) => (old === null ? [ref] : [])));
    const lines = [
      ...warningLines(warnings, pushOptions),
      ...(await mergeRequestAddresses(deps, pusher, branches)),
      ...movedLines(deps, access),
      ...(await creationLines(deps, access, created)),
      ...(await storageLines(deps, access)),
      ...(await bannerLines(deps, access)),
    ];
    return lines.length === 0 ? '' : lines.map((line) => line.toWellFormed()).join('\n');
  } catch (error) {
    const { message, stack } = error instanceof Error ? error : { message: String(error), stack: undefined };
    deps.log.log('error', 'what follows a push failed', { project_id: access.project.id, error: message, stack });
    return '';
  }
}

/** What administrators tell everybody at this time. */
async function bannerLines(deps: Deps, { project, permissions }: ProjectAccess): Promise<string[]> {
  const banner = await bannerFor(deps, project.full_path, permissions.level);
  return banner === undefined ? [] : framed(banner.slice(0, MAX_BANNER));
}

/** Tells who pushes that there is not much room any more. */
async function storageLines(deps: Deps, { project }: ProjectAccess): Promise<string[]> {
  const { warned } = await storageUse(deps, project);
  if (warned === null) return [];
  return framed(`The storage of ${project.full_path.split('/')[0]} has passed ${warned} MiB.`);
}

/** Asks who uses an old address to go over to the new one. */
function movedLines(deps: Deps, { caller, project, oldPath }: ProjectAccess): string[] {
  if (oldPath === undefined) return [];
  const path = `${project.full_path}.git`;
  const url = isSshCaller(caller) ? deps.sshUrl(path) : `${deps.externalUrl()}/${path}`;
  return [
    '',
    `Project '${oldPath}' was moved to '${project.full_path}'.`,
    '',
    'Please update your Git remote:',
    '',
    `  git remote set-url origin ${url}`,
  ];
}

/** Warnings in a frame, as the platform prints them. */
function warningLines(warnings: readonly string[], pushOptions: readonly string[]): string[] {
  if (warnings.length === 0) return [];
  const given = pushOptions.slice(0, MAX_SHOWN).map((option) => `'${option.slice(0, MAX_TEXT)}'`);
  const texts = [...new Set(warnings)].slice(0, MAX_SHOWN).map((text) => text.slice(0, MAX_TEXT));
  const first = `Error encountered with push options ${given.join(' ')}: ${texts[0]}`;
  return ['', RULER, '', 'WARNINGS:', first, ...texts.slice(1), '', RULER];
}
