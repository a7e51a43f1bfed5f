import assert from 'node:assert/strict';
import { test } from 'node:test';
import { pathFromName } from './creation.ts';
import { detectLicense } from './projects.license.ts';
import { findReadme } from './readme.ts';
import { languagePercentages } from './statistics.ts';

const readmeOf = (...names: string[]) => findReadme(names.map((name) => ({ name })));

test('a README in a markup language is taken before a plain one', () => {
  assert.equal(readmeOf('a.md', 'README', 'readme.rst', 'Readme.md'), 'Readme.md');
  assert.equal(readmeOf('README.txt', 'index.md'), 'README.txt');
  assert.equal(readmeOf('index.md'), 'index.md');
  assert.equal(readmeOf('index.html', 'index.js', 'READMEs', 'my-readme.md'), null);
});

test('licences are told by their own words, however the lines are broken', () => {
  const key = (text: string) => detectLicense(text)?.key ?? null;
  assert.equal(
    key('MIT License\n\nPermission is hereby granted, free of\n charge, to any person obtaining a copy of'),
    'mit',
  );
  assert.equal(key('Licensed under the Apache License, Version 2.0 (the "License")'), 'apache-2.0');
  assert.equal(key('GNU GENERAL PUBLIC LICENSE\n   Version 3, 29 June 2007'), 'gpl-3.0');
  assert.equal(key('GNU LESSER GENERAL PUBLIC LICENSE\n   Version 2.1, February 1999'), 'lgpl-2.1');
  assert.equal(key('GNU AFFERO GENERAL PUBLIC LICENSE\n   Version 3, 19 November 2007'), 'agpl-3.0');
  const mozilla = 'Mozilla Public License Version 2.0 ... the GNU Affero General Public License, Version 3.0';
  assert.equal(key(mozilla), 'mpl-2.0');
  const berkeley = 'Redistribution and use in source and binary forms, with or without modification';
  assert.equal(key(berkeley), 'bsd-2-clause');
  assert.equal(key(`${berkeley} ... used to endorse or promote products derived`), 'bsd-3-clause');
  assert.equal(key('All rights reserved.'), null);
});

test('a path is made out of a name', () => {
  assert.equal(pathFromName('  Ünïcode & Co: 2.0 '), 'unicode-co-2-0');
  assert.equal(pathFromName('snake_case'), 'snake_case');
  assert.equal(pathFromName('日本'), '');
});

test('shares of languages have two decimals', () => {
  const shares = [
    { name: 'Go', bytes: 2 },
    { name: 'C', bytes: 1 },
  ];
  assert.deepEqual(languagePercentages(shares), { Go: 66.67, C: 33.33 });
});
