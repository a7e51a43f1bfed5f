import { setImmediate as nextTurn } from 'node:timers/promises';
import { SaxesParser } from 'saxes';

/** An element or text of a document. */
export interface Element {
  name: string;
  attributes: Record<string, string>;
  children: (Element | string)[];
}

/** Maximum size of a parsed document in bytes. */
export const MAX_BYTES = 1024 * 1024;
const MAX_DEPTH = 20;
/** Characters parsed at once, before yielding to the event loop. */
const CHUNK = 64 * 1024;

class TooDeep extends Error {}

/**
 * Parses an untrusted document of at most `MAX_BYTES` in chunks. Custom entities are not resolved; comments, processing
 * instructions and whitespace between elements are dropped.
 * @returns null if it is invalid
 */
export async function parseDocument(text: string): Promise<Element | null> {
  const top: Element = { name: '', attributes: {}, children: [] };
  const open = [top];
  const parser = new SaxesParser();
  const add = (child: Element | string) => open.at(-1)!.children.push(child);
  parser.on('opentag', ({ name, attributes }) => {
    const element: Element = { name, attributes, children: [] };
    add(element);
    if (open.push(element) > MAX_DEPTH) throw new TooDeep();
  });
  parser.on('closetag', () => open.pop());
  for (const kind of ['text', 'cdata'] as const) {
    parser.on(kind, (part) => {
      if (part.trim() !== '') add(part);
    });
  }
  parser.on('error', (error) => {
    throw error;
  });
  try {
    for (let at = 0; at < text.length; at += CHUNK) {
      parser.write(text.slice(at, at + CHUNK));
      await nextTurn();
    }
    parser.close();
  } catch {
    return null;
  }
  const [root] = top.children;
  return typeof root === 'object' ? root : null;
}

/** Renders a document with each element on its own line. */
export const writeDocument = (root: Element): string =>
  `<?xml version="1.0" encoding="UTF-8"?>\n${written(root, '').join('\n')}\n`;

function written({ name, attributes, children }: Element, indent: string): string[] {
  const start = [name, ...Object.entries(attributes).map(([key, value]) => `${key}="${escaped(value)}"`)].join(' ');
  if (children.length === 0) return [`${indent}<${start}/>`];
  if (children.every((child) => typeof child === 'string')) {
    return [`${indent}<${start}>${escaped(children.join('').trim())}</${name}>`];
  }
  const inside = children.flatMap((child) =>
    typeof child === 'string' ? [`${indent}  ${escaped(child.trim())}`] : written(child, `${indent}  `),
  );
  return [`${indent}<${start}>`, ...inside, `${indent}</${name}>`];
}

const ESCAPES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };
const escaped = (text: string): string => text.replace(/[&<>"]/g, (char) => ESCAPES[char]!);

/** Returns the first child with that name. */
export const childOf = (parent: Element | undefined, name: string): Element | undefined =>
  parent?.children.find((child): child is Element => typeof child === 'object' && child.name === name);

/** Returns all children with that name. */
export const childrenOf = (parent: Element, name: string): Element[] =>
  parent.children.filter((child): child is Element => typeof child === 'object' && child.name === name);

/** Returns the trimmed text of an element. */
export const textOf = (element: Element | undefined): string =>
  element?.children
    .filter((child) => typeof child === 'string')
    .join('')
    .trim() ?? '';
