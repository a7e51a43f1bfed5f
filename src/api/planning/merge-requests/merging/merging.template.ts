const VARIABLE = /%\{([a-z_]{1,50})\}/g;
const ONLY_VARIABLES = /^(?:%\{[a-z_]{1,50}\})+$/;

/** Names of the variables in a template, without duplicates. */
export const variablesOf = (template: string): string[] => [
  ...new Set([...template.matchAll(VARIABLE)].map(([, name]) => name!)),
];

/**
 * Fills the variables of a template for commit messages. A line of empty variables only is removed, together with the
 * blank line before it if a blank line or the end follows. Unknown variables stay as they are; values are not
 * expanded again.
 */
export function fillTemplate(template: string, values: ReadonlyMap<string, string>): string {
  const lines = template.replaceAll('\r', '').split('\n');
  const output: string[] = [];
  for (const [index, line] of lines.entries()) {
    if (!isGone(line, values)) {
      output.push(line.replace(VARIABLE, (whole, name: string) => values.get(name) ?? whole));
      continue;
    }
    const next = lines[index + 1];
    if ((next === undefined || next === '') && output.at(-1) === '') output.pop();
  }
  return output.join('\n');
}

const isGone = (line: string, values: ReadonlyMap<string, string>): boolean =>
  ONLY_VARIABLES.test(line) && variablesOf(line).every((name) => values.get(name) === '');
