import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { renderGuide, root } from './guide.ts';
import { type PageOptions, pageDocument } from './page-document.ts';

interface PageFile {
  readonly mediaType: string;
  /** @throws esbuild's `BuildFailure` when a script does not build */
  readonly content: () => string | Promise<string>;
}

const pageDirectory = import.meta.dirname;
/** The address in documents and examples, in place of which the page shows that of its run. */
const documentedUrl = 'http://127.0.0.1:3000/staging/v1';
/** The beginning of the key in the same examples. */
const documentedKey = 'STORE_ORDERS_KEY=so_test_';
const styleSheet = createRequire(import.meta.url).resolve('simpledotcss');

/** The page, all that it loads, and the files of the repository that it links to, by their paths. */
export function pageFiles(options: PageOptions): ReadonlyMap<string, PageFile> {
  const prefix = /^so_[a-z]+_/.exec(options.demoKeys[0]?.key ?? '')?.[0] ?? 'so_test_';
  const read = (path: string) =>
    readFileSync(path, 'utf8')
      .replaceAll(documentedUrl, options.baseUrl)
      .replaceAll(documentedKey, `STORE_ORDERS_KEY=${prefix}`);
  const guide = renderGuide(read(join(root, 'docs/clients.md')));
  const file = (mediaType: string, path: string): PageFile => ({
    mediaType,
    content: () => read(path),
  });
  // A browser shows plain text, and would save YAML or Markdown.
  const linked = ['openapi.yaml', ...guide.linkedFiles].map(
    (path) => [path, file('text/plain', join(root, path))] as const,
  );
  return new Map<string, PageFile>([
    ...linked,
    ['index.html', { mediaType: 'text/html', content: () => pageDocument(guide, options) }],
    ['simple.css', file('text/css', styleSheet)],
    ['page.css', file('text/css', join(pageDirectory, 'page.css'))],
    ['page.js', { mediaType: 'text/javascript', content: bundledScript }],
    ['icon.svg', file('image/svg+xml', join(pageDirectory, 'icon.svg'))],
  ]);
}

async function bundledScript(): Promise<string> {
  // The module is loaded on demand, because most runs never show the page.
  const { build } = await import('esbuild');
  const { outputFiles } = await build({
    entryPoints: [join(pageDirectory, 'page.ts')],
    bundle: true,
    format: 'esm',
    target: 'es2022',
    write: false,
  });
  return outputFiles[0]!.text;
}
