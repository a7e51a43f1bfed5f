import type { TreeEntry } from '../../../git/objects/index.ts';
import type { Repository } from '../../../git/repository/index.ts';

export interface License {
  key: string;
  name: string;
  nickname: string | null;
  html_url: string | null;
  source_url: string | null;
}

interface Known {
  key: string;
  name: string;
  nickname?: string;
  source?: string;
  /** Phrases that must all occur in the text, in lower case with single spaces. */
  phrases: readonly string[];
}

/** The first match is taken, so licences that mention others come first. */
const KNOWN: readonly Known[] = [
  {
    key: 'mpl-2.0',
    name: 'Mozilla Public License 2.0',
    source: 'https://www.mozilla.org/media/MPL/2.0/index.txt',
    phrases: ['mozilla public license version 2.0'],
  },
  { key: 'epl-2.0', name: 'Eclipse Public License 2.0', phrases: ['eclipse public license - v 2.0'] },
  {
    key: 'agpl-3.0',
    name: 'GNU Affero General Public License v3.0',
    nickname: 'GNU AGPLv3',
    source: 'https://www.gnu.org/licenses/agpl-3.0.txt',
    phrases: ['gnu affero general public license version 3'],
  },
  {
    key: 'lgpl-3.0',
    name: 'GNU Lesser General Public License v3.0',
    nickname: 'GNU LGPLv3',
    source: 'https://www.gnu.org/licenses/lgpl-3.0.txt',
    phrases: ['gnu lesser general public license version 3'],
  },
  {
    key: 'lgpl-2.1',
    name: 'GNU Lesser General Public License v2.1',
    nickname: 'GNU LGPLv2.1',
    source: 'https://www.gnu.org/licenses/lgpl-2.1.txt',
    phrases: ['gnu lesser general public license version 2.1'],
  },
  {
    key: 'gpl-3.0',
    name: 'GNU General Public License v3.0',
    nickname: 'GNU GPLv3',
    source: 'https://www.gnu.org/licenses/gpl-3.0.txt',
    phrases: ['gnu general public license version 3'],
  },
  {
    key: 'gpl-2.0',
    name: 'GNU General Public License v2.0',
    nickname: 'GNU GPLv2',
    source: 'https://www.gnu.org/licenses/gpl-2.0.txt',
    phrases: ['gnu general public license version 2'],
  },
  {
    key: 'apache-2.0',
    name: 'Apache License 2.0',
    source: 'https://www.apache.org/licenses/LICENSE-2.0.txt',
    phrases: ['apache license version 2.0'],
  },
  { key: 'bsl-1.0', name: 'Boost Software License 1.0', phrases: ['boost software license - version 1.0'] },
  {
    key: 'cc0-1.0',
    name: 'Creative Commons Zero v1.0 Universal',
    source: 'https://creativecommons.org/publicdomain/zero/1.0/legalcode.txt',
    phrases: ['cc0 1.0 universal'],
  },
  {
    key: 'unlicense',
    name: 'The Unlicense',
    source: 'https://unlicense.org/UNLICENSE',
    phrases: ['this is free and unencumbered software released into the public domain'],
  },
  {
    key: 'bsd-3-clause',
    name: 'BSD 3-Clause "New" or "Revised" License',
    phrases: ['redistribution and use in source and binary forms', 'endorse or promote products'],
  },
  {
    key: 'bsd-2-clause',
    name: 'BSD 2-Clause "Simplified" License',
    phrases: ['redistribution and use in source and binary forms'],
  },
  {
    key: 'isc',
    name: 'ISC License',
    phrases: ['permission to use, copy, modify, and/or distribute this software for any purpose'],
  },
  {
    key: 'mit',
    name: 'MIT License',
    source: 'https://opensource.org/license/mit',
    phrases: ['permission is hereby granted, free of charge, to any person obtaining a copy'],
  },
];

const MAX_BYTES = 256 * 1024;
const FILE_NAME = /^(?:un)?licen[cs]e(?:[.-][\w.-]+)?$|^copying(?:[.-][\w.-]+)?$/i;

/** Detects the licence of a text by its phrases; null if unknown. */
export function detectLicense(text: string): License | null {
  const words = text.toLowerCase().replace(/\s+/g, ' ').replaceAll(', version', ' version');
  const license = KNOWN.find(({ phrases }) => phrases.every((phrase) => words.includes(phrase)));
  if (license === undefined) return null;
  return {
    key: license.key,
    name: license.name,
    nickname: license.nickname ?? null,
    html_url: `https://choosealicense.com/licenses/${license.key}/`,
    source_url: license.source ?? null,
  };
}

const OTHER: License = { key: 'other', name: 'Other', nickname: null, html_url: null, source_url: null };

/** Finds the licence file in a folder and its licence; null if there is no such file. */
export async function findLicense(
  repo: Repository,
  files: readonly TreeEntry[],
): Promise<{ path: string; license: License } | null> {
  const file = files.find(({ name }) => FILE_NAME.test(name));
  if (file === undefined) return null;
  const blob = await repo.objects.read(file.oid, MAX_BYTES);
  const text = blob?.data?.toString('utf8') ?? '';
  return { path: file.name, license: detectLicense(text) ?? OTHER };
}
