import { COMPILED } from './compiled.ts';
import { GENERAL } from './general.ts';
import { SCRIPTED } from './scripted.ts';
import { SITES } from './sites.ts';
import { WORKFLOWS } from './workflows.ts';

const SUFFIX = '.gitlab-ci.yml';

const TEMPLATES: ReadonlyMap<string, string> = new Map(
  [COMPILED, SCRIPTED, GENERAL, SITES, WORKFLOWS].flatMap((topic) =>
    Object.entries(topic).map(([name, content]) => [`${name}${SUFFIX}`, content] as const),
  ),
);

/** The text of a built-in template; undefined where there is none of the name. @param name such as `Bash.gitlab-ci.yml` */
export const template = (name: string): string | undefined => TEMPLATES.get(name);

/** The names of all of them. */
export const templateNames = (): string[] => [...TEMPLATES.keys()].sort();
