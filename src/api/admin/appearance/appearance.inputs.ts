import { optional, Upload } from '../../../http/http.schema.ts';
import { texts } from './appearance.responses.ts';

const picture = (what: string) =>
  Upload({ description: `Picture of at most 1 MiB ${what}; an empty text removes it.` });

export const changedAppearance = optional({
  ...texts,
  logo: picture('beside the form in which one signs in'),
  header_logo: picture('at the top of pages'),
  pwa_icon: picture('of the installed web application'),
  favicon: picture('in the tab of a browser, PNG or ICO'),
});
