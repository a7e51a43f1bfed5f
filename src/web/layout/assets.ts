import { createHash } from 'node:crypto';
import { highlightStyles } from '../highlight/index.ts';
import { jobLogStyles } from '../job-log/index.ts';
import { baseStyles } from './base.css.ts';

/** Where style sheets are. */
export const ASSETS = '/-/assets';

const withoutBlanks = (css: string): string => css.replace(/\s*\n\s*/g, '\n').trim();
const sheets: Readonly<Record<string, string>> = {
  base: withoutBlanks(`${baseStyles}${highlightStyles}`),
  'job-log': withoutBlanks(jobLogStyles),
};

const named = new Map<string, string>();
const paths: Record<string, string> = {};
for (const [name, text] of Object.entries(sheets)) {
  const file = `${name}-${createHash('sha256').update(text).digest('hex').slice(0, 16)}.css`;
  named.set(file, text);
  paths[name] = `${ASSETS}/${file}`;
}

/** Path of a style sheet; it changes with its content. */
export const stylePath = (name: string): string => paths[name]!;

/** The style sheet of a file name; undefined if there is none. */
export const styleSheet = (file: string): string | undefined => named.get(file);
