import { COMPILED } from './compiled.ts';
import { GENERAL } from './general.ts';
import { SCRIPTED } from './scripted.ts';
import { SITES } from './sites.ts';
import { WORKFLOWS } from './workflows.ts';

const SUFFIX = '.gitlab-ci.yml';

let known: ReadonlyMap<string, string> | undefined;

/** Read by the first question: most servers are never asked for one. */
async function all(): Promise<ReadonlyMap<string, string>> {
  if (known !== undefined) return known;
  const topics = [
    ...[COMPILED, SCRIPTED, GENERAL, SITES, WORKFLOWS],
    (await import('./languages.template.ts')).LANGUAGES,
    (await import('./more-sites.ts')).MORE_SITES,
    (await import('./security.template.ts')).SECURITY,
    (await import('./more-scans.ts')).MORE_SCANS,
    (await import('./deploying.ts')).DEPLOYING,
    (await import('./terraform-modules.ts')).TERRAFORM_MODULES,
    (await import('./verify.ts')).VERIFY,
    (await import('./partners.ts')).PARTNERS,
  ];
  known = new Map(topics.flatMap((topic) => Object.entries(topic).map(([name, text]) => [`${name}${SUFFIX}`, text])));
  return known;
}

/** The text of a built-in template; undefined where there is none of the name. @param name such as `Bash.gitlab-ci.yml` */
export const template = async (name: string): Promise<string | undefined> => (await all()).get(name);

/** The names of all of them. */
export const templateNames = async (): Promise<string[]> => [...(await all()).keys()].sort();
