import { ApiRefusal } from '../../core/api-client.ts';
import type { PageContext } from '../../core/page.ts';
import { type Html, html, type Part } from '../../core/template.ts';

/** What is told above a form that was refused, and with which status. */
export interface Problem {
  text: string;
  status: number;
}

const NOT_ALLOWED = [401, 403];
/** Refusals of what was sent. Others, such as those of what is hidden, are pages of their own. */
const OF_FORMS = [400, 405, 406, 409, 422, ...NOT_ALLOWED];

/**
 * Does what a form asks for.
 * @returns what comes of it, or what is told above the form
 * @throws ApiRefusal that has nothing to do with what was sent
 */
export async function attempt<T>(work: () => Promise<T>): Promise<{ done: T } | { problem: Problem }> {
  try {
    return { done: await work() };
  } catch (error) {
    if (!(error instanceof ApiRefusal) || !OF_FORMS.includes(error.status)) throw error;
    const isOfRights = NOT_ALLOWED.includes(error.status);
    return {
      problem: {
        text: isOfRights ? `You may not do that (${error.message}).` : error.message,
        status: isOfRights ? 403 : 422,
      },
    };
  }
}

/** A problem above a form. */
export const problemNotice = (problem: Problem | null): Part =>
  problem === null ? null : html`<p class="notice bad" role="alert">${problem.text}</p>`;

/** A form that consists of a button. @param hidden fields by name */
export const buttonForm = (
  { at, formToken }: PageContext,
  path: string,
  text: string,
  hidden: Readonly<Record<string, string>> = {},
): Html =>
  html`<form method="post" action="${at(path)}">${formToken}${Object.entries(hidden).map(
    ([name, value]) => html`<input type="hidden" name="${name}" value="${value}">`,
  )}<button>${text}</button></form>`;

/** A text of a form, with the ends of lines that texts have here. */
export const textOf = (c: PageContext, name: string): string => c.field(name).replaceAll('\r\n', '\n');

/** A field of several lines with its label. */
export const textField = (id: string, name: string, label: string, value: string, isRequired = false): Html =>
  html`<div><label for="${id}">${label}</label>
<textarea id="${id}" name="${name}" rows="6"${isRequired ? html` required` : null}>${value}</textarea></div>`;

/** A field of one line with its label. */
export const lineField = (name: string, label: string, value: string, isRequired = false): Html =>
  html`<div><label for="${name}">${label}</label>
<input id="${name}" name="${name}" value="${value}"${isRequired ? html` required` : null}></div>`;
