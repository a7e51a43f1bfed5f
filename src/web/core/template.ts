import { raw, html as template } from 'hono/html';

/** HTML that is safe to send. Texts put into a template are escaped; what is `Html` already is not. */
export type Html = ReturnType<typeof raw>;

/** What a template takes; nothing is written for null, undefined and false. */
export type Part = Html | string | number | null | undefined | false | readonly Part[];

/** Makes HTML of a template; all its values are escaped texts, HTML, or lists of these. */
export const html = (texts: TemplateStringsArray, ...parts: readonly Part[]): Html =>
  template(texts, ...parts.map((part) => part ?? '')) as Html;

/** Takes HTML of a renderer that makes it safe. */
export const trusted = (text: string): Html => raw(text);
