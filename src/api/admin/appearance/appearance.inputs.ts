import { optional, Upload } from '../../../http/http.schema.ts';
import { texts } from './appearance.responses.ts';

const picture = (what: string) => Upload({ description: `Image ${what}, at most 1 MiB; an empty string removes it.` });

export const changedAppearance = optional({
  ...texts,
  logo: picture('beside the sign-in form'),
  header_logo: picture('in the page header'),
  pwa_icon: picture('of the installed web application'),
  favicon: picture('in browser tabs (PNG or ICO)'),
});
