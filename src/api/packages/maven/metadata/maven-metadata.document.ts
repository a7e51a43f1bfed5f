import { setImmediate as nextTurn } from 'node:timers/promises';
import { SaxesParser } from 'saxes';

/** An element of a document, or a text. */
export interface Element {
  name: string;
  attributes: Record<string, string>;
  children: (Element | string)[];
}

/** Bytes of a document that is read. */
export const MAX_BYTES = 1024 * 1024;
const MAX_DEPTH = 20;
/** Characters that are read at once: others have their turn between. */
const CHUNK = 64 * 1024;

class TooDeep extends Error {}

/**
 * Reads a document of at most `MAX_BYTES`, which somebody wrote, a little at a time: entities of its own mean nothing. Comments, processing
 * instructions and the blanks between elements are dropped.
 * @returns null for what is no such document
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

/** The document as text, its elements on lines of their own. */
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

/** The first child of that name. */
export const childOf = (parent: Element | undefined, name: string): Element | undefined =>
  parent?.children.find((child): child is Element => typeof child === 'object' && child.name === name);

/** All children of that name. */
export const childrenOf = (parent: Element, name: string): Element[] =>
  parent.children.filter((child): child is Element => typeof child === 'object' && child.name === name);

/** What the element says, without the blanks around it. */
export const textOf = (element: Element | undefined): string =>
  element?.children
    .filter((child) => typeof child === 'string')
    .join('')
    .trim() ?? '';
