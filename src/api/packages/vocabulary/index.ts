import type { Vocabulary } from '../../../http/openapi/openapi.words.ts';
import { PackageFile } from '../package-files/package-files.responses.ts';
import { packageKinds } from '../package-kinds.ts';
import {
  GroupPackage,
  OtherVersion,
  Package,
  PackageListEntry,
  PackagePipeline,
  PackageTag,
} from '../packages/packages.responses.ts';
import { PackageProtectionRule } from '../protection-rules/protection-rules.responses.ts';

const kinds = [...packageKinds.values()];

/** Vocabulary of this area: names of objects, and descriptions of fields and parameters by name. */
export const vocabulary: Vocabulary = {
  entries: {
    package_id: ['Id of the package.', 4],
    package_name: ['Name of the package.', 'my-app'],
    file_name: ['Name of the file.', 'app.tar.gz'],
    file_md5: ['MD5 of the file, 32 hexadecimal digits.', 'd41d8cd98f00b204e9800998ecf8427e'],
    file_sha1: ['SHA-1 of the file, 40 hexadecimal digits.', 'da39a3ee5e6b4b0d3255bfef95601890afd80709'],
    file_sha256: [
      'SHA-256 of the file, 64 hexadecimal digits.',
      'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855',
    ],
    ...Object.assign({}, ...kinds.map(({ words }) => words)),
  },
  objects: {
    GroupPackage,
    Package,
    PackageFile,
    PackageListEntry,
    PackagePipeline,
    PackageProtectionRule,
    PackageTag,
    PackageVersion: OtherVersion,
    ...Object.assign({}, ...kinds.map(({ objects }) => objects)),
  },
};
