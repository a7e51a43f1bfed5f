import { ENVIRONMENT_NAME } from '../../../ci/ci.environments.ts';
import { type FieldErrors, invalidModel } from '../../../core/core.errors.ts';
import type { Environment } from '../../../db/tables/environments.table.ts';

export interface EnvironmentAttributes {
  external_url?: string | null;
  tier?: Environment['tier'];
  description?: string | null;
  auto_stop_setting?: Environment['auto_stop_setting'];
  kubernetes_namespace?: string | null;
  flux_resource_path?: string | null;
}

const MAX_TEXT = 255;
const MAX_DESCRIPTION = 10_000;
const NAME_WORDS =
  "can contain only letters, digits, '-', '_', '/', '$', '{', '}', '.', and spaces, but it cannot start or end with '/'";
const SCRIPTS = /^(javascript|data|vbscript)$/;

const tooLong = (text: string | null | undefined, maxLength: number): string[] =>
  text != null && text.length > maxLength ? [`is too long (maximum is ${maxLength} characters)`] : [];

function urlErrors(text: string | null | undefined): string[] {
  if (text == null || text === '') return [];
  const url = URL.parse(text);
  if (url === null) return ['URI is invalid'];
  const scheme = url.protocol.slice(0, -1);
  return SCRIPTS.test(scheme) ? [`${scheme} scheme is not allowed`] : [];
}

/** Validates attributes of an environment. @throws ApiError 400 */
export function checkEnvironment(input: EnvironmentAttributes, name?: string): void {
  const fieldErrors = {
    name: name === undefined ? [] : nameErrors(name),
    external_url: [...tooLong(input.external_url, MAX_TEXT), ...urlErrors(input.external_url)],
    description: tooLong(input.description, MAX_DESCRIPTION),
    kubernetes_namespace: tooLong(input.kubernetes_namespace, 63),
    flux_resource_path: tooLong(input.flux_resource_path, MAX_TEXT),
  };
  const errors: FieldErrors = Object.fromEntries(Object.entries(fieldErrors).filter(([, texts]) => texts.length > 0));
  if (Object.keys(errors).length > 0) throw invalidModel(errors);
}

function nameErrors(name: string): string[] {
  if (name === '') return ["can't be blank"];
  return [...tooLong(name, MAX_TEXT), ...(ENVIRONMENT_NAME.test(name) ? [] : [NAME_WORDS])];
}
