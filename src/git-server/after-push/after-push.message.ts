import { isSshCaller } from '../../access/caller.ts';
import { storageUse } from '../../access/storage-limit.ts';
import { bannerFor } from '../../api/admin/index.ts';
import type { Deps } from '../../deps.ts';
import { repositoryOf } from '../../repositories/change-refs.ts';
import type { MovedPush } from '../../repositories/pushes/move-pushed-refs.ts';
import { creationLines } from '../create-by-push.ts';
import type { ProjectAccess } from '../project-access.ts';
import { mergeRequestAddresses } from './after-push.addresses.ts';
import { applyMergeRequestOptions } from './after-push.merge-requests.ts';
import { framed, RULER } from './frame.ts';
import { parseMergeRequestOptions } from './options.ts';
import { pushedBranches } from './pushed.ts';

/** Maximum number of push options and warnings repeated in the output, and maximum length of each. */
const MAX_SHOWN = 20;
const MAX_TEXT = 500;
const MAX_BANNER = 2_000;

/**
 * Applies push options and builds the output of a push. Never fails, since the refs are already moved.
 * @returns lines for the terminal of the pusher; empty if there are none
 */
export async function afterPush(
  deps: Deps,
  access: ProjectAccess,
  { updates, reasons, pushOptions }: MovedPush,
): Promise<string> {
  try {
    const { user } = access.caller;
    const moved = updates.filter((_, index) => reasons[index] === null);
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
    deps.log.log('error', 'the follow-up of a push failed', { project_id: access.project.id, error: message, stack });
    return '';
  }
}

/** The banner that administrators currently broadcast. */
async function bannerLines(deps: Deps, { project, permissions }: ProjectAccess): Promise<string[]> {
  const banner = await bannerFor(deps, project.full_path, permissions.level);
  return banner === undefined ? [] : framed(banner.slice(0, MAX_BANNER));
}

/** Warns the pusher when the storage usage is near its limit. */
async function storageLines(deps: Deps, { project }: ProjectAccess): Promise<string[]> {
  const { warned } = await storageUse(deps, project);
  if (warned === null) return [];
  return framed(`The storage of ${project.full_path.split('/')[0]} has exceeded ${warned} MiB.`);
}

/** Asks users of an old address to switch to the new one. */
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

/** Warnings in a frame, in the platform's layout. */
function warningLines(warnings: readonly string[], pushOptions: readonly string[]): string[] {
  if (warnings.length === 0) return [];
  const quotedOptions = pushOptions.slice(0, MAX_SHOWN).map((option) => `'${option.slice(0, MAX_TEXT)}'`);
  const texts = [...new Set(warnings)].slice(0, MAX_SHOWN).map((text) => text.slice(0, MAX_TEXT));
  const first = `Error encountered with push options ${quotedOptions.join(' ')}: ${texts[0]}`;
  return ['', RULER, '', 'WARNINGS:', first, ...texts.slice(1), '', RULER];
}
