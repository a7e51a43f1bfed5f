import type { PageRoute } from '../../core/page.ts';
import { blamePages } from './blame.pages.ts';
import { commitPages } from './commits.pages.ts';
import { comparePages } from './compare.pages.ts';
import { filePages } from './files.pages.ts';
import { refPages } from './refs.pages.ts';

/** Pages of the code of a project. */
export const codePages: readonly PageRoute[] = [
  ...filePages,
  ...commitPages,
  ...refPages,
  ...comparePages,
  ...blamePages,
];
