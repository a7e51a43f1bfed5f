import { type Static, Type } from 'typebox';
import { Nullable } from '../../../http/http.schema.ts';

/** Pictures that make up the look of the server. */
export const PICTURES = ['logo', 'header_logo', 'pwa_icon', 'favicon'] as const;

export type PictureName = (typeof PICTURES)[number];

export const text = (description: string, maxLength = 10_000) => Type.String({ maxLength, description });

/** Empty for the colour that there is without one. */
const color = (description: string) =>
  Type.String({
    pattern: '^(?:#(?:[0-9a-fA-F]{3}|[0-9a-fA-F]{6}))?$',
    description: `${description}, as #rrggbb; empty for the usual one.`,
  });

export const texts = {
  title: text('Title of the page on which one signs in.', 255),
  description: text('Markdown on that page.'),
  pwa_name: text('Name of the installed web application.', 255),
  pwa_short_name: text('Short name of the installed web application.', 255),
  pwa_description: text('What the installed web application says of itself.', 2_048),
  member_guidelines: text('Markdown on the members page, for who may change members.', 4_096),
  new_project_guidelines: text('Markdown on the page on which projects are made.'),
  profile_image_guidelines: text('Markdown where one sets their picture.', 4_096),
  header_message: text('Line at the top of every page.'),
  footer_message: text('Line at the bottom of every page.'),
  message_background_color: color('Colour behind these lines'),
  message_font_color: color('Colour of these lines'),
  email_header_and_footer_enabled: Type.Boolean({ description: 'Whether mails have these lines, too.' }),
};

const address = (what: string) =>
  Nullable(Type.String({ description: `Address of ${what}, from the root of the server.` }));

export const Appearance = Type.Object({
  ...texts,
  logo: address('the picture beside the form in which one signs in'),
  header_logo: address('the picture at the top of pages'),
  pwa_icon: address('the picture of the installed web application'),
  favicon: address('the picture in the tab of a browser'),
});

export type AppearanceTexts = { -readonly [K in keyof typeof texts]: Static<(typeof texts)[K]> };

export const DEFAULT_TEXTS: AppearanceTexts = {
  title: '',
  description: '',
  pwa_name: '',
  pwa_short_name: '',
  pwa_description: '',
  member_guidelines: '',
  new_project_guidelines: '',
  profile_image_guidelines: '',
  header_message: '',
  footer_message: '',
  message_background_color: '#e75e40',
  message_font_color: '#ffffff',
  email_header_and_footer_enabled: false,
};
