import type { PageRoute } from '../../core/page.ts';
import { filePages } from './files.pages.ts';

/** Pages of the code of a project. */
export const codePages: readonly PageRoute[] = [...filePages];
