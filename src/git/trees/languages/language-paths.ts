/** Paths that do not represent a project: third-party, generated, or documentation. Matched against the whole path. */
const VENDORED: readonly RegExp[] = [
  /(?:^|\/)(?:node_modules|bower_components|jspm_packages|\.yarn|\.pnp)\//,
  /(?:^|\/)(?:vendors?|third[-_]?party|3rd[-_]?party|extern(?:al)?s?|deps|dependencies|godeps|_workspace)\//i,
  /(?:^|\/)(?:pods|carthage|\.bundle|\.gradle|\.mvn|\.venv|site-packages|dist|cache)\//i,
  /(?:^|\/)(?:__fixtures__|fixtures|testdata|__snapshots__)\//,
  /(?:^|\/)(?:gradlew(?:\.bat)?|mvnw(?:\.cmd)?|configure|aclocal\.m4|ltmain\.sh|config\.(?:guess|sub))$/,
  /(?:^|\/)(?:jquery|bootstrap|modernizr|prototype|mootools|angular|react(?:-dom)?|d3|three|vue)(?:[-.][\w.-]*)?\.(?:js|css|less|scss)$/i,
  /(?:^|\/)\.(?:github|gitlab|vscode|idea|husky|devcontainer|circleci)\//,
];

const DOCUMENTATION: readonly RegExp[] = [
  /^(?:[Dd]ocs?|[Mm]an|[Ee]xamples?|[Dd]emos?|[Ss]amples?|[Ii]nst\/doc)\//,
  /(?:^|\/)(?:[Dd]ocumentation|[Gg]roovydoc|[Jj]avadoc|[Dd]emos?|[Ss]amples?)\//,
  /(?:^|\/)(?:CHANGE(?:S|LOG)?|CONTRIBUTING|COPYING|INSTALL|LICEN[CS]E|README)(?:\.|$)/i,
];

const GENERATED: readonly RegExp[] = [
  /(?:^|\/)(?:package-lock\.json|npm-shrinkwrap\.json|yarn\.lock|pnpm-lock\.yaml|composer\.lock|Cargo\.lock)$/,
  /(?:^|\/)(?:Gemfile\.lock|Pipfile\.lock|poetry\.lock|pdm\.lock|uv\.lock|go\.sum|Gopkg\.lock|glide\.lock|flake\.lock)$/,
  /(?:^|\/)(?:deno\.lock|bun\.lockb?|MODULE\.bazel\.lock|\.terraform\.lock\.hcl|mix\.lock|pubspec\.lock)$/,
  /[-.]min\.(?:js|css|mjs)$/,
  /\.(?:js|css|mjs|cjs)\.map$/,
  /\.(?:designer\.(?:cs|vb)|g\.(?:cs|dart)|freezed\.dart|pb\.(?:go|cc|h)|pb\.gw\.go|xib|nib|storyboard|pbxproj)$/i,
  /_pb2(?:_grpc)?\.pyi?$/,
  /(?:^|\/)(?:__generated__|node_modules)\//,
];

/** Whether a path belongs to third-party code. */
export function isVendoredPath(path: string): boolean {
  return VENDORED.some((pattern) => pattern.test(path));
}

/** Whether a path is documentation. */
export function isDocumentationPath(path: string): boolean {
  return DOCUMENTATION.some((pattern) => pattern.test(path));
}

/** Whether a path is a generated file. Serves `generated_file` of a diff. */
export function isGeneratedPath(path: string): boolean {
  return GENERATED.some((pattern) => pattern.test(path));
}
