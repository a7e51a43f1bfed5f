import { findProject } from '../../../access/lookup.ts';
import { renderDescription } from '../../../references/render-text.ts';
import { type Page, type PageContext, PageNotFound } from '../../core/page.ts';
import { type Html, html, trusted } from '../../core/template.ts';
import {
  apiPathOf,
  type ProjectFacts,
  type ProjectSection,
  projectFrame,
  projectOf,
  projectPath,
} from '../project-frame.ts';

/** Characters of texts that one page renders: those after them are named only. */
const MAX_TEXT = 1_000_000;

/** The project of a page of planning or review. */
export interface Place {
  project: ProjectFacts;
  /** Path of the project in the API. */
  api: string;
  /** Path of a page of the project. */
  path(page: string): string;
  frame: Pick<Page, 'trail' | 'tabs'>;
}

/** The place of a page. @throws ApiRefusal if the user may not see it */
export async function placeOf(c: PageContext, section: ProjectSection): Promise<Place> {
  const project = await projectOf(c);
  return {
    project,
    api: apiPathOf(project.path_with_namespace),
    path: (page) => projectPath(project, page),
    frame: projectFrame(project, section),
  };
}

/** A number in an address. @throws PageNotFound */
export function numberOf(c: PageContext, name: string): number {
  const text = c.params[name] ?? '';
  if (!/^[1-9]\d{0,9}$/.test(text)) throw new PageNotFound();
  return Number(text);
}

/** Renders Markdown texts of a project for the reader of a page. */
export type RenderText = (text: string | null) => Promise<Html>;

/** A renderer for the texts of a page; all together they are bounded. */
export async function textsOf(c: PageContext, { project }: Place): Promise<RenderText> {
  const home = await findProject(c.deps, String(project.id));
  if (home === undefined) throw new PageNotFound();
  let left = MAX_TEXT;
  return async (text) => {
    left -= text?.length ?? 0;
    if (left < 0) return html`<p class="quiet">This text is not shown, because the page would become too long.</p>`;
    return trusted(await renderDescription(c.deps, c.caller, home, text));
  };
}
