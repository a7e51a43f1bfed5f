/** Texts of licences by their SPDX ids. Imported when a licence is asked for. */
import bsd0 from 'spdx-license-list/licenses/0BSD.json' with { type: 'json' };
import agpl3 from 'spdx-license-list/licenses/AGPL-3.0.json' with { type: 'json' };
import apache2 from 'spdx-license-list/licenses/Apache-2.0.json' with { type: 'json' };
import artistic2 from 'spdx-license-list/licenses/Artistic-2.0.json' with { type: 'json' };
import bsd2 from 'spdx-license-list/licenses/BSD-2-Clause.json' with { type: 'json' };
import bsd3 from 'spdx-license-list/licenses/BSD-3-Clause.json' with { type: 'json' };
import bsl1 from 'spdx-license-list/licenses/BSL-1.0.json' with { type: 'json' };
import ccBy4 from 'spdx-license-list/licenses/CC-BY-4.0.json' with { type: 'json' };
import ccBySa4 from 'spdx-license-list/licenses/CC-BY-SA-4.0.json' with { type: 'json' };
import cc0 from 'spdx-license-list/licenses/CC0-1.0.json' with { type: 'json' };
import epl2 from 'spdx-license-list/licenses/EPL-2.0.json' with { type: 'json' };
import eupl12 from 'spdx-license-list/licenses/EUPL-1.2.json' with { type: 'json' };
import gpl2 from 'spdx-license-list/licenses/GPL-2.0.json' with { type: 'json' };
import gpl3 from 'spdx-license-list/licenses/GPL-3.0.json' with { type: 'json' };
import isc from 'spdx-license-list/licenses/ISC.json' with { type: 'json' };
import lgpl21 from 'spdx-license-list/licenses/LGPL-2.1.json' with { type: 'json' };
import lgpl3 from 'spdx-license-list/licenses/LGPL-3.0.json' with { type: 'json' };
import mit from 'spdx-license-list/licenses/MIT.json' with { type: 'json' };
import mit0 from 'spdx-license-list/licenses/MIT-0.json' with { type: 'json' };
import mpl2 from 'spdx-license-list/licenses/MPL-2.0.json' with { type: 'json' };
import ofl11 from 'spdx-license-list/licenses/OFL-1.1.json' with { type: 'json' };
import unlicense from 'spdx-license-list/licenses/Unlicense.json' with { type: 'json' };
import upl1 from 'spdx-license-list/licenses/UPL-1.0.json' with { type: 'json' };
import zlib from 'spdx-license-list/licenses/Zlib.json' with { type: 'json' };

/** A text with its name and where it comes from. */
export interface LicenceText {
  name: string;
  url: string;
  licenseText: string;
}

/** By the key of the licence: its SPDX id in lower case. */
export const LICENCE_TEXTS: Readonly<Record<string, LicenceText>> = {
  '0bsd': bsd0,
  'agpl-3.0': agpl3,
  'apache-2.0': apache2,
  'artistic-2.0': artistic2,
  'bsd-2-clause': bsd2,
  'bsd-3-clause': bsd3,
  'bsl-1.0': bsl1,
  'cc-by-4.0': ccBy4,
  'cc-by-sa-4.0': ccBySa4,
  'cc0-1.0': cc0,
  'epl-2.0': epl2,
  'eupl-1.2': eupl12,
  'gpl-2.0': gpl2,
  'gpl-3.0': gpl3,
  isc,
  'lgpl-2.1': lgpl21,
  'lgpl-3.0': lgpl3,
  mit,
  'mit-0': mit0,
  'mpl-2.0': mpl2,
  'ofl-1.1': ofl11,
  unlicense,
  'upl-1.0': upl1,
  zlib,
};
