/** A template, configuration or range that no changelog can be generated from; its message is shown to the client. */
export class ChangelogError extends Error {}

type Node =
  | { kind: 'text'; text: string }
  | { kind: 'value'; path: readonly string[] }
  | { kind: 'if'; path: readonly string[]; body: Node[]; otherwise: Node[] | null }
  | { kind: 'each'; path: readonly string[]; body: Node[] };

/** A parsed template of the sections of a changelog. */
export type Template = readonly Node[];

/** A closing backslash, a statement with the line feed after it, or a value. */
const TAG =
  /\\\n|\{%[ \t\n]*(?<word>if|each|else|end)(?:[ \t\n]+(?<argument>[\w-]+(?:\.[\w-]+)*))?[ \t\n]*%\}\n?|\{\{[ \t\n]*(?<value>[\w-]+(?:\.[\w-]+)*)[ \t\n]*\}\}/g;
const MAX_DEPTH = 50;
const MAX_STEPS = 1_000_000;
const MAX_OUTPUT = 8 * 1024 * 1024;

/**
 * Parses a template: `{{ a.b }}` prints a value, `{% if a %} ... {% else %} ... {% end %}` is a condition, `{% each a
 * %} ... {% end %}` a loop. A statement, or a backslash at the end of a line, removes the line feed after it.
 * @throws ChangelogError for invalid syntax
 */
export function parseTemplate(text: string): Template {
  const root: Node[] = [];
  const open: { nodes: Node[]; of: Extract<Node, { body: Node[] }> | null }[] = [{ nodes: root, of: null }];
  let at = 0;
  const addText = (end: number) => {
    const plain = text.slice(at, end);
    if (/\{[{%]/.test(plain)) throw new ChangelogError('Failed to parse the template: unknown or unclosed tag');
    if (plain !== '') open.at(-1)!.nodes.push({ kind: 'text', text: plain });
  };
  for (const match of text.matchAll(TAG)) {
    addText(match.index);
    at = match.index + match[0].length;
    const { word, argument, value } = match.groups!;
    const { nodes, of } = open.at(-1)!;
    if (value !== undefined) nodes.push({ kind: 'value', path: value.split('.') });
    else if (word === 'if' || word === 'each') {
      if (argument === undefined)
        throw new ChangelogError(`Failed to parse the template: ${word} requires an argument`);
      if (open.length > MAX_DEPTH) throw new ChangelogError('Failed to parse the template: too many nested tags');
      const path = argument.split('.');
      const node: Extract<Node, { body: Node[] }> =
        word === 'if' ? { kind: 'if', path, body: [], otherwise: null } : { kind: 'each', path, body: [] };
      nodes.push(node);
      open.push({ nodes: node.body, of: node });
    } else if (word === 'else') {
      if (of?.kind !== 'if' || of.otherwise !== null) {
        throw new ChangelogError('Failed to parse the template: else without if');
      }
      of.otherwise = [];
      open[open.length - 1] = { nodes: of.otherwise, of };
    } else if (word === 'end') {
      if (of === null) throw new ChangelogError('Failed to parse the template: end without an opening tag');
      open.pop();
    }
  }
  addText(text.length);
  if (open.length > 1) throw new ChangelogError('Failed to parse the template: missing end');
  return root;
}

/**
 * Renders a template. Within `each`, names refer to the element, and `it` is the element itself.
 * @throws ChangelogError if the output is too long or rendering takes too long
 */
export function renderTemplate(template: Template, data: unknown): string {
  const parts: string[] = [];
  let steps = 0;
  let length = 0;
  const print = (text: string) => {
    length += text.length;
    if (length > MAX_OUTPUT) throw new ChangelogError('The changelog is too long');
    parts.push(text);
  };
  const run = (nodes: Template, scope: unknown) => {
    for (const node of nodes) {
      steps += 1;
      if (steps > MAX_STEPS) throw new ChangelogError('Rendering the template takes too long');
      if (node.kind === 'text') print(node.text);
      else if (node.kind === 'value') print(shown(find(scope, node.path)));
      else if (node.kind === 'if') run(isTrue(find(scope, node.path)) ? node.body : (node.otherwise ?? []), scope);
      else {
        const items = find(scope, node.path);
        if (Array.isArray(items)) for (const item of items) run(node.body, item);
      }
    }
  };
  run(template, data);
  return parts.join('');
}

function find(scope: unknown, path: readonly string[]): unknown {
  let value = scope;
  for (const [index, name] of path.entries()) {
    if (index === 0 && name === 'it') continue;
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, name)) return undefined;
    if (Array.isArray(value) && !/^\d+$/.test(name)) return undefined;
    value = (value as Record<string, unknown>)[name];
  }
  return value;
}

const shown = (value: unknown): string =>
  typeof value === 'string' ? value : typeof value === 'number' || typeof value === 'boolean' ? String(value) : '';

/** Empty strings, arrays and objects are false. */
function isTrue(value: unknown): boolean {
  if (value === undefined || value === null || value === false || value === '') return false;
  return typeof value !== 'object' || Object.keys(value).length > 0;
}
