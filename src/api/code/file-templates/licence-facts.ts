/** What is said of a licence beside its text. */
export interface LicenceFacts {
  nickname?: string;
  /** Shown first. */
  popular?: true;
  description: string;
  permissions: readonly string[];
  conditions: readonly string[];
  limitations: readonly string[];
  /** Name, where that of the text says more than the licence is called. */
  name?: string;
}

const USE = ['commercial-use', 'modifications', 'distribution', 'private-use'];
const PATENTS = [...USE, 'patent-use'];
const NOTICE = ['include-copyright'];
const AS_IS = ['liability', 'warranty'];
const COPYLEFT = ['include-copyright', 'document-changes', 'disclose-source', 'same-license'];

/** By key, which is the SPDX id in lower case. */
export const LICENCE_FACTS: Readonly<Record<string, LicenceFacts>> = {
  '0bsd': {
    description: 'Permissive, without any condition: not even the notice has to be kept.',
    permissions: USE,
    conditions: [],
    limitations: AS_IS,
  },
  'agpl-3.0': {
    name: 'GNU Affero General Public License v3.0',
    nickname: 'GNU AGPLv3',
    popular: true,
    description:
      'Strong copyleft: whoever distributes the work or offers it over a network provides the whole source under the same licence. Grants patent rights.',
    permissions: PATENTS,
    conditions: [...COPYLEFT, 'network-use-disclose'],
    limitations: AS_IS,
  },
  'apache-2.0': {
    popular: true,
    description: 'Permissive, with an express grant of patent rights. Notices are kept and changes are stated.',
    permissions: PATENTS,
    conditions: ['include-copyright', 'document-changes'],
    limitations: ['trademark-use', ...AS_IS],
  },
  'artistic-2.0': {
    description:
      'Permissive, for modified works under conditions that keep them apart from the original. Used for Perl.',
    permissions: PATENTS,
    conditions: ['include-copyright', 'document-changes'],
    limitations: ['trademark-use', ...AS_IS],
  },
  'bsd-2-clause': {
    popular: true,
    description: 'Permissive: the notice is kept in source and binary forms.',
    permissions: USE,
    conditions: NOTICE,
    limitations: AS_IS,
  },
  'bsd-3-clause': {
    popular: true,
    description: 'Permissive: the notice is kept, and names of contributors endorse nothing without their consent.',
    permissions: USE,
    conditions: NOTICE,
    limitations: AS_IS,
  },
  'bsl-1.0': {
    popular: true,
    description: 'Permissive: the notice is kept with the source, but need not come with programs made of it.',
    permissions: USE,
    conditions: ['include-copyright--source'],
    limitations: AS_IS,
  },
  'cc-by-4.0': {
    description:
      'For texts, data and pictures: anything is allowed as long as the authors are named. Not meant for software.',
    permissions: USE,
    conditions: ['include-copyright', 'document-changes'],
    limitations: ['trademark-use', 'patent-use', ...AS_IS],
  },
  'cc-by-sa-4.0': {
    description: 'As CC-BY-4.0, and what is made of the work has the same licence.',
    permissions: USE,
    conditions: ['include-copyright', 'document-changes', 'same-license'],
    limitations: ['trademark-use', 'patent-use', ...AS_IS],
  },
  'cc0-1.0': {
    popular: true,
    description: 'Gives up all rights in the work, as far as the law allows it. Grants no patent rights.',
    permissions: USE,
    conditions: [],
    limitations: ['trademark-use', 'patent-use', ...AS_IS],
  },
  'epl-2.0': {
    popular: true,
    description: 'Weak copyleft: changes to the work are under the same licence, what is combined with it need not be.',
    permissions: PATENTS,
    conditions: ['disclose-source', 'include-copyright', 'same-license'],
    limitations: AS_IS,
  },
  'eupl-1.2': {
    description: 'Copyleft of the European Union, valid in all its languages and compatible with many other licences.',
    permissions: PATENTS,
    conditions: ['include-copyright', 'disclose-source', 'document-changes', 'network-use-disclose', 'same-license'],
    limitations: ['trademark-use', ...AS_IS],
  },
  'gpl-2.0': {
    name: 'GNU General Public License v2.0',
    nickname: 'GNU GPLv2',
    popular: true,
    description: 'Strong copyleft: whoever distributes the work provides its source under the same licence.',
    permissions: USE,
    conditions: COPYLEFT,
    limitations: AS_IS,
  },
  'gpl-3.0': {
    name: 'GNU General Public License v3.0',
    nickname: 'GNU GPLv3',
    popular: true,
    description:
      'Strong copyleft: whoever distributes the work provides its source under the same licence. Grants patent rights.',
    permissions: PATENTS,
    conditions: COPYLEFT,
    limitations: AS_IS,
  },
  isc: {
    description: 'Permissive, in the fewest words: the notice is kept.',
    permissions: USE,
    conditions: NOTICE,
    limitations: AS_IS,
  },
  'lgpl-2.1': {
    name: 'GNU Lesser General Public License v2.1',
    nickname: 'GNU LGPLv2.1',
    popular: true,
    description:
      'Weak copyleft, for libraries: changes to them are under the same licence, what uses them need not be.',
    permissions: USE,
    conditions: ['include-copyright', 'disclose-source', 'document-changes', 'same-license--library'],
    limitations: AS_IS,
  },
  'lgpl-3.0': {
    name: 'GNU Lesser General Public License v3.0',
    nickname: 'GNU LGPLv3',
    popular: true,
    description: 'Weak copyleft, for libraries, on the terms of the GPLv3. Grants patent rights.',
    permissions: PATENTS,
    conditions: ['include-copyright', 'disclose-source', 'document-changes', 'same-license--library'],
    limitations: AS_IS,
  },
  mit: {
    popular: true,
    description: 'Permissive and short: the notice is kept.',
    permissions: USE,
    conditions: NOTICE,
    limitations: AS_IS,
  },
  'mit-0': {
    description: 'As MIT, but the notice need not be kept.',
    permissions: USE,
    conditions: [],
    limitations: AS_IS,
  },
  'mpl-2.0': {
    popular: true,
    description: 'Weak copyleft, by file: changed files are under the same licence, further ones need not be.',
    permissions: PATENTS,
    conditions: ['disclose-source', 'include-copyright', 'same-license--file'],
    limitations: ['trademark-use', ...AS_IS],
  },
  'ofl-1.1': {
    description:
      'For fonts: they may be used and changed, but not sold by themselves, nor keep their name when changed.',
    permissions: USE,
    conditions: ['include-copyright', 'same-license'],
    limitations: AS_IS,
  },
  unlicense: {
    popular: true,
    description: 'Gives the work to the public domain, without any condition.',
    permissions: USE,
    conditions: [],
    limitations: AS_IS,
  },
  'upl-1.0': {
    description: 'Permissive, with a grant of patent rights also for larger works.',
    permissions: PATENTS,
    conditions: NOTICE,
    limitations: AS_IS,
  },
  zlib: {
    description: 'Permissive: the notice is kept with the source, and changes are marked.',
    permissions: USE,
    conditions: ['include-copyright--source', 'document-changes'],
    limitations: AS_IS,
  },
};
