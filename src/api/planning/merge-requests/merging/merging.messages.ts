import type { Deps } from '../../../../deps.ts';
import { fillTemplate, variablesOf } from './merging.template.ts';
import { MESSAGE_VALUES, type MessageSubject } from './message-values.ts';

const MERGE_TEMPLATE = `Merge branch '%{source_branch}' into '%{target_branch}'

%{title}

%{issues}

See merge request %{reference}`;
const SQUASH_TEMPLATE = '%{title}';

/** The message of a merge commit: from the project's template, or the default one. */
export const mergeMessage = (deps: Deps, subject: MessageSubject, template: string | null): Promise<string> =>
  fill(deps, subject, template || MERGE_TEMPLATE);

/** The message of a squash commit: from the project's template, or the title. */
export const squashMessage = (deps: Deps, subject: MessageSubject, template: string | null): Promise<string> =>
  fill(deps, { ...subject, squash: true }, template || SQUASH_TEMPLATE);

async function fill(deps: Deps, subject: MessageSubject, template: string): Promise<string> {
  const values = new Map<string, string>();
  for (const name of variablesOf(template)) {
    if (Object.hasOwn(MESSAGE_VALUES, name)) values.set(name, await MESSAGE_VALUES[name]!(deps, subject));
  }
  return fillTemplate(template, values);
}
