const VARIABLE = /%\{([a-z_]{1,50})\}/g;
const ONLY_VARIABLES = /^(?:%\{[a-z_]{1,50}\})+$/;

/** Names of the variables that a template uses, each once. */
export const variablesOf = (template: string): string[] => [
  ...new Set([...template.matchAll(VARIABLE)].map(([, name]) => name!)),
];

/**
 * Fills the variables of a template for commit messages. A line of nothing but variables without a value goes, and the
 * blank line before it where a blank line or the end follows. Names that are not in `values` stay as they are; values
 * are never read as templates.
 */
export function fillTemplate(template: string, values: ReadonlyMap<string, string>): string {
  const lines = template.replaceAll('\r', '').split('\n');
  const kept: string[] = [];
  for (const [index, line] of lines.entries()) {
    if (!isGone(line, values)) {
      kept.push(line.replace(VARIABLE, (whole, name: string) => values.get(name) ?? whole));
      continue;
    }
    const next = lines[index + 1];
    if ((next === undefined || next === '') && kept.at(-1) === '') kept.pop();
  }
  return kept.join('\n');
}

const isGone = (line: string, values: ReadonlyMap<string, string>): boolean =>
  ONLY_VARIABLES.test(line) && variablesOf(line).every((name) => values.get(name) === '');
