/** What a template for a language or tool says, from which its text is written. */
export interface TemplateSpec {
  /** One line about it, as a comment. */
  about: string;
  image: string;
  /** Paths that stay between pipelines of a branch. */
  cache?: readonly string[];
  before?: readonly string[];
  /** Commands of each job by its name: `build`, `test` and `deploy` are stages of their own, all else is tests. */
  jobs: Readonly<Record<string, readonly string[]>>;
  /** Paths that the last job leaves. */
  artifacts?: readonly string[];
}

const STAGES = ['build', 'test', 'deploy'];

/** A scalar of YAML: in quotes where it would mean something else without. */
const scalar = (text: string): string => (/^[\w./$][\w ./$=@+-]*$/.test(text) ? text : JSON.stringify(text));

/** A list under a key, at an indentation. */
export const yamlList = (key: string, items: readonly string[], indent = ''): string =>
  `${indent}${key}:\n${items.map((item) => `${indent}  - ${scalar(item)}\n`).join('')}`;

/** The text of a template. */
export function renderTemplate({ about, image, cache, before, jobs, artifacts }: TemplateSpec): string {
  const parts = [`# ${about}\nimage: ${image}\n`];
  if (cache !== undefined) parts.push(`cache:\n  key: $CI_COMMIT_REF_SLUG\n${yamlList('paths', cache, '  ')}`);
  if (before !== undefined) parts.push(yamlList('before_script', before));
  const names = Object.keys(jobs);
  for (const name of names) {
    const isLast = name === names.at(-1);
    const stage = STAGES.includes(name) ? name : 'test';
    const artifactLines =
      isLast && artifacts !== undefined ? `  artifacts:\n${yamlList('paths', artifacts, '    ')}` : '';
    const only = stage === 'deploy' ? '  rules:\n    - if: $CI_COMMIT_BRANCH == $CI_DEFAULT_BRANCH\n' : '';
    parts.push(`${name}:\n  stage: ${stage}\n${yamlList('script', jobs[name]!, '  ')}${artifactLines}${only}`);
  }
  return parts.join('\n');
}

/** The same for several templates. */
export const renderTemplates = (topic: Readonly<Record<string, TemplateSpec>>): Record<string, string> =>
  Object.fromEntries(Object.entries(topic).map(([name, words]) => [name, renderTemplate(words)]));

/** A template that is another one under a further name. */
export const sameAs = (name: string): string => `include:\n  - template: ${name}.gitlab-ci.yml\n`;
